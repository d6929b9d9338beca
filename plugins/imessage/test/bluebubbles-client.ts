import type { BlueBubblesEmulator } from "../emulator/index.ts";

export interface Answer<T = unknown> {
  readonly status: number;
  readonly message?: string;
  readonly data?: T;
  readonly error?: { readonly type: string; readonly message: string };
  readonly metadata?: unknown;
}

export interface ToldMessage {
  readonly guid: string;
  readonly originalROWID: number;
  readonly text: string | null;
  readonly tempGuid?: string;
  readonly isFromMe: boolean;
  readonly error: number;
  readonly dateCreated: number;
  readonly dateEdited: number | null;
  readonly chats?: readonly { readonly guid: string; readonly participants?: readonly unknown[] }[];
  readonly attachments: readonly { readonly guid: string }[];
  readonly [field: string]: unknown;
}

/** Calls the emulator as a client does. */
export async function call<T = ToldMessage>(
  { url, options }: BlueBubblesEmulator,
  method: string,
  path: string,
  body?: object,
): Promise<Answer<T>> {
  const address = new URL(`/api/v1/${path}`, url);
  address.searchParams.set("password", options.password);
  const isForm = body instanceof FormData;
  const response = await fetch(address, {
    method,
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    ...(body === undefined || isForm ? {} : { headers: { "content-type": "application/json" } }),
  });
  return (await response.json()) as Answer<T>;
}

export interface ToldEvent {
  readonly type: string;
  readonly data: ToldMessage;
}

/** Listens at the emulator's socket, by nothing but a WebSocket. */
export async function listen(
  { url, options }: BlueBubblesEmulator,
  password = options.password,
): Promise<{ readonly events: ToldEvent[]; readonly packets: string[]; readonly socket: WebSocket }> {
  const address = new URL("/socket.io/?EIO=4&transport=websocket", url.replace("http", "ws"));
  address.searchParams.set("password", password);
  const socket = new WebSocket(address);
  const events: ToldEvent[] = [];
  const packets: string[] = [];
  const connected = Promise.withResolvers<void>();
  socket.addEventListener("close", () => connected.resolve());
  socket.addEventListener("message", ({ data }) => {
    const packet = String(data);
    packets.push(packet);
    if (packet.startsWith("0")) socket.send("40");
    if (packet.startsWith("40")) connected.resolve();
    if (!packet.startsWith("42")) return;
    const [type, told] = JSON.parse(packet.slice(2)) as [string, ToldMessage];
    events.push({ type, data: told });
  });
  await connected.promise;
  return { events, packets, socket };
}

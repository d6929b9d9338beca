import type { Clock, ReceiveRound } from "@hermes/core";
import { errors } from "./errors.ts";

/** The server pings every minute ("pingInterval"); one that is silent for longer is gone, in milliseconds. */
const SILENT_FOR_MS = 150_000;

/** How long connecting may take, in milliseconds. */
const CONNECTED_WITHIN_MS = 20_000;

/** Packets of Engine.IO and, behind a 4, of Socket.IO. */
const OPEN = "0";
const PING = "2";
const PONG = "3";
const CONNECT = "40";
const DISCONNECT = "41";
const EVENT = "42";

export interface EventSocketParts {
  readonly clock: Clock;
  /** The address, with the password. */
  readonly url: string;
  readonly take: (type: string, data: unknown) => void;
}

/** Listens to the server's Socket.IO until the connection ends. Nothing is acknowledged there, and nothing comes again. */
export async function listenAt(
  { signal, received }: Pick<ReceiveRound, "signal" | "received">,
  { clock, url, take }: EventSocketParts,
): Promise<void> {
  const ended = Promise.withResolvers<string>();
  const socket = new WebSocket(url);
  let timer: Disposable | null = null;
  const endIn = (delayMs: number, reason: string) => {
    timer?.[Symbol.dispose]();
    timer = clock.setTimer(delayMs, () => ended.resolve(reason));
  };
  const onPacket = (packet: string) => {
    endIn(SILENT_FOR_MS, "its socket fell silent");
    if (packet.startsWith(OPEN)) socket.send(CONNECT);
    else if (packet === PING) socket.send(PONG);
    else if (packet.startsWith(CONNECT)) received();
    else if (packet.startsWith(DISCONNECT)) ended.resolve("it closed its socket");
    else if (packet.startsWith(EVENT)) {
      const [type, data] = eventIn(packet.slice(EVENT.length));
      if (typeof type === "string") take(type, data);
    }
  };
  endIn(CONNECTED_WITHIN_MS, "its socket did not open");
  socket.addEventListener("message", ({ data }) => onPacket(String(data)));
  socket.addEventListener("error", () => ended.resolve("its socket could not be opened"));
  socket.addEventListener("close", () => ended.resolve("its socket was closed"));
  const stop = () => ended.resolve("");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const reason = await ended.promise;
    if (!signal.aborted) throw errors.unavailable(reason);
  } finally {
    signal.removeEventListener("abort", stop);
    (timer as Disposable | null)?.[Symbol.dispose]();
    socket.close();
  }
}

function eventIn(json: string): readonly unknown[] {
  try {
    const event: unknown = JSON.parse(json);
    return Array.isArray(event) ? event : [];
  } catch {
    return [];
  }
}

import { type Clock, jsonOf, type ReceiveRound, untilAborted } from "@hermes/core";
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

/** Takes an event. It is only a hint: what it is about is read from the server. */
export type TakeEvent = (type: string, data: unknown) => void;

export interface EventSocketParts {
  readonly clock: Clock;
  /** The address, with the password. */
  readonly url: string;
  readonly take: TakeEvent;
}

/** Listens to the server's Socket.IO until the connection ends. Nothing is acknowledged there, and nothing comes again. */
export async function listenAt(
  { signal, received }: Pick<ReceiveRound, "signal" | "received">,
  { clock, url, take }: EventSocketParts,
): Promise<void> {
  const over = Promise.withResolvers<never>();
  const end = (reason: string) => over.reject(errors.unavailable(reason));
  let timer: Disposable | null = null;
  const stopTimer = () => timer?.[Symbol.dispose]();
  const endIn = (delayMs: number, reason: string) => {
    stopTimer();
    timer = clock.setTimer(delayMs, () => end(reason));
  };
  const socket = new WebSocket(url);
  endIn(CONNECTED_WITHIN_MS, "its socket did not open");
  socket.addEventListener("message", (message) => {
    const packet = String(message.data);
    endIn(SILENT_FOR_MS, "its socket fell silent");
    if (packet.startsWith(OPEN)) socket.send(CONNECT);
    else if (packet === PING) socket.send(PONG);
    else if (packet.startsWith(CONNECT)) received();
    else if (packet.startsWith(DISCONNECT)) end("it closed its socket");
    else if (packet.startsWith(EVENT)) {
      const event = jsonOf(Buffer.from(packet.slice(EVENT.length)));
      const [type, data] = Array.isArray(event) ? (event as readonly unknown[]) : [];
      if (typeof type === "string") take(type, data);
    }
  });
  socket.addEventListener("error", () => end("its socket could not be opened"));
  socket.addEventListener("close", () => end("its socket was closed"));
  try {
    await untilAborted(over.promise, signal);
  } finally {
    stopTimer();
    socket.close();
  }
}

import {
  type AdapterContext,
  jsonOf,
  type ReceiveRound,
  secretPath,
  untilAborted,
  WebhookListener,
} from "@hermes/core";
import { isThisMachine } from "./config.ts";
import type { ConnectionParts } from "./connection.ts";
import { errors } from "./errors.ts";
import { PLATFORM } from "./source.ts";
import { webhooksAnswer } from "./wire.ts";

/** Takes an event. It is only a hint: what it is about is read from the server. */
type TakeEvent = (type: string, data: unknown) => void;

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

/** Listens to the server's Socket.IO until the connection ends. Nothing is acknowledged there, and nothing comes again. */
export async function listenAt(
  { signal, received }: Pick<ReceiveRound, "signal" | "received">,
  { api, deps: { clock } }: Pick<ConnectionParts, "api" | "deps">,
  take: TakeEvent,
): Promise<void> {
  const over = Promise.withResolvers<never>();
  const end = (reason: string) => over.reject(errors.unavailable(reason));
  let timer: Disposable | null = null;
  const stopTimer = () => timer?.[Symbol.dispose]();
  const endIn = (delayMs: number, reason: string) => {
    stopTimer();
    timer = clock.setTimer(delayMs, () => end(reason));
  };
  const socket = new WebSocket(api.socketUrl());
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

/** How long taking the address back may take, in milliseconds. */
const LEAVES_WITHIN_MS = 2_000;

const EVENTS = ["new-message", "updated-message", "message-send-error", "hello-world"];

/**
 * Takes the server's webhooks, which are neither signed nor sent again: at a path that nobody knows, since the server
 * writes its addresses into its log, and from the configured addresses only. Returns what gives that address to the
 * server; null where the server could not reach it.
 */
export async function openWebhook(
  { api, deps: { options, folder, logger, noteSecret } }: Pick<ConnectionParts, "api" | "deps">,
  take: TakeEvent,
  onStop: AdapterContext["onStop"],
): Promise<((signal: AbortSignal) => Promise<void>) | null> {
  const { host, port, url, from } = options.webhook;
  if (url === undefined && !isThisMachine(options.url)) return null;
  const path = secretPath(folder, PLATFORM);
  noteSecret(path);
  const listener = new WebhookListener({
    platform: PLATFORM,
    host,
    port,
    path,
    from,
    logger,
    async take(body) {
      const { type, data } = Object(jsonOf(body)) as Record<string, unknown>;
      if (typeof type !== "string") return 400;
      take(type, data);
      return 200;
    },
  });
  onStop(() => listener.close());
  const reachedAt = await listener.open();
  const ours = url === undefined ? reachedAt : `${url}${path}`;
  const leave = async (isLeft: (url: string) => boolean, withinMs?: number) => {
    const hooks = await api.read(webhooksAnswer, { path: "webhook", ...(withinMs ? { withinMs } : {}) });
    for (const { id } of hooks.filter((hook) => isLeft(hook.url)))
      await api.call({ method: "DELETE", path: `webhook/${id}` });
  };
  onStop(() => leave((given) => given === ours, LEAVES_WITHIN_MS).catch(() => {}));
  return async (signal) => {
    // Those that a process left which could not take them back.
    await leave((given) => given.endsWith(path) && given !== ours);
    await api.call({ method: "POST", path: "webhook", json: { url: ours, events: EVENTS }, signal });
  };
}

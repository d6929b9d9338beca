import { type AdapterContext, untilAborted } from "@hermes/core";
import type { AcmeMessage, Connection } from "./api.ts";
import { errors } from "./errors.ts";
import { decode } from "./inbound.ts";

/** Acme says something every five seconds; a socket that is silent for so many milliseconds is dead. */
const SILENT_FOR_MS = 20_000;

/**
 * Receives by a WebSocket. A message is acknowledged when Hermes has kept it; Acme sends again, on the next socket, what
 * was not acknowledged on this one.
 */
export async function receiveMessages(
  connection: Connection,
  { receive, keepReceiving }: AdapterContext,
): Promise<void> {
  const { api, deps } = connection;
  await keepReceiving(async ({ signal, received }) => {
    // The address holds a ticket for one connection, so that the token stands in no address.
    const { url } = (await api.call({ method: "POST", path: "socket", signal })) as { readonly url: string };
    const over = Promise.withResolvers<never>();
    const socket = new WebSocket(url);
    let silence: Disposable | null = null;
    const stopTimer = () => silence?.[Symbol.dispose]();
    const heard = () => {
      stopTimer();
      silence = deps.clock.setTimer(SILENT_FOR_MS, () => over.reject(errors.unavailable("the socket went silent")));
    };
    const take = async (data: string) => {
      const { id, message } = JSON.parse(data) as AcmeFrame;
      if (message === undefined) return;
      const decoded = decode(message, connection);
      if (decoded) await receive(decoded);
      socket.send(JSON.stringify({ ack: id }));
    };

    heard();
    socket.addEventListener("open", () => received());
    socket.addEventListener("close", () => over.reject(errors.unavailable("the socket was closed")));
    // One after the other. Behind one that Hermes could not keep, none is acknowledged.
    let last = Promise.resolve();
    socket.addEventListener("message", ({ data }) => {
      heard();
      last = last.then(() => take(String(data)));
      last.catch(over.reject);
    });
    try {
      await untilAborted(over.promise, signal);
    } finally {
      stopTimer();
      socket.close();
    }
  });
}

/** Without a message it is only a sign of life. */
interface AcmeFrame {
  readonly id?: string;
  readonly message?: AcmeMessage;
}

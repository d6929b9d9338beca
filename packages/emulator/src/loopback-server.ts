import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { reasonOf } from "@hermes/core";
import type { EmulatorOptions } from "./emulator.ts";
import { BadBody } from "./request-body.ts";

/** An HTTP server that only programs on this machine can reach. */
export interface LoopbackServer {
  /** For its `upgrade` event, if the platform has WebSockets. */
  readonly server: Server;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** Cuts every connection, including WebSockets; still accepts new ones. */
  disconnect(): void;
  /** Stops accepting connections and cuts existing ones. Idempotent. */
  close(): Promise<void>;
}

/** Answers a request. If it throws, the request is answered with 500, or with the status of a BadBody. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/**
 * Starts a server on 127.0.0.1. `handle` sees each request first, as in the options of an emulator.
 *
 * ```ts
 * const http = await listenOnLoopback((request, response) => answerJson(response, 200, { ok: true }), options);
 * ```
 */
export async function listenOnLoopback(
  answer: Answer,
  { port = 0, host = "127.0.0.1", handle }: EmulatorOptions = {},
): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    // A client that disconnected is not an error of the server.
    response.on("error", () => {});
    if (handle?.(request, response)) return;
    Promise.resolve()
      .then(() => answer(request, response))
      .catch((error: unknown) => answerFailure(response, error));
  });
  // As long as platforms' servers keep idle connections. After Node's 5 s, a client on a busy machine writes into one that
  // is being ended, and its request is lost.
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const at = (server.address() as AddressInfo).port;
  let closed: Promise<void> | null = null;
  return {
    server,
    url: `http://${host}:${at}`,
    port: at,
    disconnect,
    close() {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve());
        disconnect();
      });
      return closed;
    },
  };
}

/** Answers with a value as JSON. */
export function answerJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(value));
}

function answerFailure(response: ServerResponse, error: unknown): void {
  answerJson(response, error instanceof BadBody ? error.status : 500, { error: reasonOf(error) });
}

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { EmulatorBase } from "@hermes/emulator";
import { type WebSocket, WebSocketServer } from "ws";
import type { ApiCall, KnownCall } from "./calls.ts";

/** Failures on the way of a message to the bot that can be played. */
export const PLAYED = { connect: ["break", "disconnect"], deliver: ["redeliver", "out-of-order"] } as const;

/** How often it gives a sign of life, in milliseconds. */
const ALIVE_EVERY_MS = 5_000;

/** Messages on their way to the bot: sent by a socket (`POST socket`) until they are acknowledged. */
export abstract class DeliveringEmulator extends EmulatorBase {
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #unacknowledged = new Map<string, unknown>();
  readonly #tickets = new Set<string>();
  /** To be sent behind the next one. */
  #held: unknown[] = [];
  #nextId = 1;

  get isConnected(): boolean {
    return this.#server.clients.size > 0;
  }

  /** Sends a message to the bot, in the order of the calls. */
  protected deliver(message: unknown): void {
    const failure = this.script.take("deliver");
    if (failure?.is === "out-of-order") {
      this.#held.push(message);
      return;
    }
    for (const next of [message, ...(failure?.is === "redeliver" ? [message] : []), ...this.#held.splice(0)]) {
      const id = String(this.#nextId++);
      this.#unacknowledged.set(id, next);
      for (const socket of this.#server.clients) socket.send(JSON.stringify({ id, message: next }));
    }
  }

  /** The calls by which the bot receives; null for others. */
  protected deliveryCall({ method, path, url }: ApiCall): KnownCall | null {
    if (`${method} ${path[0]}` !== "POST socket") return null;
    return {
      operation: "connect",
      run: () => {
        const ticket = String(this.#nextId++);
        this.#tickets.add(ticket);
        return { url: `${url.replace(/^http/, "ws")}/socket?ticket=${ticket}` };
      },
    };
  }

  protected override upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "/", "http://acme").searchParams.get("ticket") ?? "";
    if (this.#tickets.delete(ticket))
      this.#server.handleUpgrade(request, socket, head, (opened) => this.#serve(opened));
    else socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
  }

  protected override stop(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  #serve(socket: WebSocket): void {
    const alive = setInterval(() => socket.send("{}"), ALIVE_EVERY_MS);
    socket.on("error", () => {});
    socket.on("close", () => clearInterval(alive));
    socket.on("message", (data) => {
      const { ack } = JSON.parse(String(data)) as { readonly ack: string };
      this.#unacknowledged.delete(ack);
    });
    for (const [id, message] of this.#unacknowledged) socket.send(JSON.stringify({ id, message }));
  }
}

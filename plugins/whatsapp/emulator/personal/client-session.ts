import type { BinaryNode } from "@whiskeysockets/baileys";
import type { WebSocket } from "ws";
import { node } from "./nodes.ts";
import { type ClientHello, NoiseResponder } from "./noise-responder.ts";

export interface SessionHandlers {
  hello(session: ClientSession, hello: ClientHello): void;
  node(session: ClientSession, received: BinaryNode): void;
  closed(session: ClientSession): void;
}

/** One connection of a client. */
export class ClientSession {
  readonly #socket: WebSocket;
  readonly #noise: NoiseResponder;
  /** Of the linked device that has logged in on it; null before that. */
  device: number | null = null;
  /** What is to be said of the client at the end of the handshake: a code of a device that is being linked. */
  hello: ClientHello | null = null;

  constructor(socket: WebSocket, root: ConstructorParameters<typeof NoiseResponder>[0], handlers: SessionHandlers) {
    this.#socket = socket;
    this.#noise = new NoiseResponder(root, (bytes) => socket.send(bytes));
    let taking = Promise.resolve();
    socket.on("message", (bytes: Buffer) => {
      const on = {
        hello: (hello: ClientHello) => {
          this.hello = hello;
          handlers.hello(this, hello);
        },
        node: (received: BinaryNode) => handlers.node(this, received),
      };
      // One after the other: each frame is decrypted with a counter.
      taking = taking.then(() => this.#noise.take(bytes, on)).catch(() => this.cut());
    });
    socket.on("error", () => {});
    socket.on("close", () => handlers.closed(this));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(sent: BinaryNode): void {
    if (this.isOpen) this.#noise.send(sent);
  }

  /** Ends the stream for a reason, as the server does ("stream:error"). */
  end(code: string, reason?: BinaryNode): void {
    this.send(node("stream:error", { code }, reason === undefined ? undefined : [reason]));
    this.#socket.close();
  }

  /** Refuses the login. */
  refuse(code: string): void {
    this.send(node("failure", { reason: code }));
    this.#socket.close();
  }

  cut(): void {
    this.#socket.terminate();
  }
}

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "@hermes/core";
import { type WebSocket, WebSocketServer } from "ws";
import { APP } from "./workspace.ts";

export interface Envelope {
  readonly type: "events_api" | "slash_commands" | "interactive";
  /** A new one for each delivery by another route. */
  payload(): Readonly<Record<string, unknown>>;
  /** What came with the acknowledgement. */
  onAck?(answer: unknown): void;
}

interface Pending {
  readonly id: string;
  readonly envelope: Envelope;
  readonly payload: Readonly<Record<string, unknown>>;
  attempt: number;
  /** The connection it went out on last; null while it waits for one. */
  on: WebSocket | null;
  timer: Disposable | null;
}

/** After an envelope that nobody acknowledges Slack tries that many times more. */
const MOST_RETRIES = 3;

/** Socket mode: connections, and envelopes until they are acknowledged. */
export class SocketHub {
  readonly #clock: Clock;
  readonly #ackWithinMs: number;
  // Answering pings is switched by hand.
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false });
  readonly #sockets = new Set<WebSocket>();
  readonly #pending = new Map<string, Pending>();
  readonly #tickets = new Set<string>();
  #nextId = 1;
  #hasGivenUp = false;
  /** False: a peer that is gone without a word. */
  answersPings = true;
  /** False: connections open, and the greeting never comes. */
  greets = true;

  constructor({ clock, ackWithinMs }: { readonly clock: Clock; readonly ackWithinMs: number }) {
    this.#clock = clock;
    this.#ackWithinMs = ackWithinMs;
  }

  get isConnected(): boolean {
    return this.#sockets.size > 0;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Envelopes that were not acknowledged yet. */
  get unacknowledged(): number {
    return this.#pending.size;
  }

  /** A ticket for one connection. */
  newTicket(): string {
    const ticket = `ticket-${this.#nextId++}`;
    this.#tickets.add(ticket);
    return ticket;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const ticket = searchParams.get("ticket") ?? "";
    if (pathname !== "/link" || !this.#tickets.delete(ticket)) {
      socket.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#open(opened));
  }

  /** Delivers an envelope: at once where there is a connection, else when there is one again. */
  push(envelope: Envelope): void {
    if (this.#hasGivenUp && !this.isConnected) return;
    const id = `envelope-${this.#nextId++}`;
    const pending: Pending = { id, envelope, payload: envelope.payload(), attempt: 0, on: null, timer: null };
    this.#pending.set(id, pending);
    this.#send(pending);
  }

  /** Tells each connection that it ends, as Slack does every few hours; it is the client that closes it. */
  announceEnd(reason: "warning" | "refresh_requested"): void {
    for (const socket of this.#sockets) socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: {} }));
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** Gives up on what was not acknowledged, and on what comes until there is a connection again. */
  giveUp(): void {
    this.#hasGivenUp = true;
    this.#drop();
  }

  #drop(): void {
    for (const pending of [...this.#pending.values()]) this.#forget(pending);
  }

  #forget({ id, timer }: Pending): void {
    timer?.[Symbol.dispose]();
    this.#pending.delete(id);
  }

  close(): void {
    this.#drop();
    this.cut();
    this.#server.close();
  }

  #open(socket: WebSocket): void {
    socket.on("error", () => {});
    socket.on("ping", (data) => {
      if (this.answersPings) socket.pong(data);
    });
    socket.on("message", (data) => this.#acknowledge(String(data)));
    socket.on("close", () => this.#closed(socket));
    if (!this.greets) return;
    this.#hasGivenUp = false;
    this.#sockets.add(socket);
    const hello = { type: "hello", num_connections: this.#sockets.size, connection_info: { app_id: APP.appId } };
    socket.send(JSON.stringify(hello));
    for (const pending of this.#pending.values()) if (pending.on === null) this.#send(pending);
  }

  #closed(socket: WebSocket): void {
    this.#sockets.delete(socket);
    for (const pending of this.#pending.values()) {
      if (pending.on !== socket) continue;
      pending.on = null;
      if (this.#hasGivenUp) this.#forget(pending);
      else this.#again(pending);
    }
  }

  #send(pending: Pending): void {
    const socket = [...this.#sockets].at(-1);
    if (!socket) return;
    const { id, envelope, payload, attempt } = pending;
    pending.on = socket;
    const retry = attempt === 0 ? {} : { retry_attempt: attempt, retry_reason: "timeout" };
    const answer = envelope.type === "slash_commands";
    socket.send(
      JSON.stringify({ envelope_id: id, type: envelope.type, payload, accepts_response_payload: answer, ...retry }),
    );
    pending.timer = this.#clock.setTimer(this.#ackWithinMs, () => this.#again(pending));
  }

  #again(pending: Pending): void {
    pending.timer?.[Symbol.dispose]();
    pending.timer = null;
    pending.attempt++;
    // What a person did just now is not repeated: they see that it failed.
    if (pending.attempt > MOST_RETRIES || pending.envelope.type !== "events_api") this.#pending.delete(pending.id);
    else this.#send(pending);
  }

  #acknowledge(data: string): void {
    const { envelope_id: id, payload } = JSON.parse(data) as { envelope_id?: string; payload?: unknown };
    const pending = this.#pending.get(id ?? "");
    if (!pending) return;
    pending.timer?.[Symbol.dispose]();
    this.#pending.delete(pending.id);
    pending.envelope.onAck?.(payload);
  }
}

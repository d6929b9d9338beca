import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@hermes/core";
import type { FailureScript } from "@hermes/emulator";

/** Of the kept events ("SseEventBuffer"). */
const MOST_EVENTS = 1_000;

/** As signal-cli gives a sign of life, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

interface Event {
  readonly sequence: number;
  readonly data: string;
}

export interface FeedOptions {
  /** When the daemon gets messages from Signal: whenever it runs, or only while somebody reads the stream. */
  readonly receiveMode: "on-start" | "on-connection";
  /** From 0.14.9 on, events are numbered and kept for those who come back. */
  readonly numbersEvents: boolean;
}

/** `GET /api/v1/events`: server-sent events ("HttpServerHandler"). */
export class EventFeed {
  readonly #script: FailureScript;
  readonly #clock: Clock;
  readonly #clients = new Set<ServerResponse>();
  readonly #kept: Event[] = [];
  /** At Signal's server: nobody has got them from there. */
  #queued: string[] = [];
  /** Come after the next one. */
  readonly #held: string[] = [];
  #sequence = 0;
  #isRecording = false;
  readonly #prefix: string;
  options: FeedOptions = { receiveMode: "on-connection", numbersEvents: true };
  /** The stream is open, and nothing comes on it, not even a sign of life. */
  isMute = false;

  constructor(script: FailureScript, clock: Clock) {
    this.#script = script;
    this.#clock = clock;
    this.#prefix = `${clock.now()}-`;
  }

  get isConnected(): boolean {
    return this.#clients.size > 0;
  }

  open(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    let keepAlive: Disposable;
    const nextKeepAlive = () => {
      keepAlive = this.#clock.setTimer(KEEP_ALIVE_MS, () => {
        this.keepAlive();
        nextKeepAlive();
      });
    };
    nextKeepAlive();
    response.on("close", () => {
      keepAlive[Symbol.dispose]();
      this.#clients.delete(response);
    });
    this.#isRecording = true;
    const lastId = request.headers["last-event-id"];
    if (this.options.numbersEvents && typeof lastId === "string") this.#repeat(response, lastId);
    this.#clients.add(response);
    for (const data of this.#queued.splice(0)) this.#send(data);
  }

  /** An event on its way to the client. */
  push(value: unknown): void {
    const data = JSON.stringify(value);
    const failure = this.#script.take("deliver");
    if (failure?.is === "out-of-order") {
      this.#held.push(data);
      return;
    }
    this.#deliver(data);
    if (failure?.is === "redeliver") this.#deliver(data);
    for (const late of this.#held.splice(0)) this.#deliver(late);
  }

  /** Gives a sign of life: a comment. */
  keepAlive(): void {
    for (const client of this.#clients) if (!this.isMute) client.write(":\n");
  }

  /** Ends every stream in an orderly way, as a daemon that stops does. */
  end(): void {
    for (const client of this.#clients) client.end();
  }

  #deliver(data: string): void {
    if (this.#clients.size > 0 || this.options.receiveMode === "on-start") this.#send(data);
    else this.#queued.push(data);
  }

  #send(data: string): void {
    const event = { sequence: ++this.#sequence, data };
    // The buffer begins with the first reader of the stream.
    if (this.#isRecording) this.#kept.push(event);
    if (this.#kept.length > MOST_EVENTS) this.#kept.shift();
    for (const client of this.#clients) this.#write(client, event);
  }

  #repeat(client: ServerResponse, lastId: string): void {
    // An id that is not known, of an earlier run say, repeats everything.
    const last = lastId.startsWith(this.#prefix) ? Number(lastId.slice(this.#prefix.length)) : 0;
    for (const event of this.#kept) if (event.sequence > last) this.#write(client, event);
  }

  #write(client: ServerResponse, { sequence, data }: Event): void {
    if (this.isMute) return;
    const id = this.options.numbersEvents ? `id:${this.#prefix}${sequence}\n` : "";
    client.write(`${id}event:receive\ndata:${data}\n\n`);
  }
}

import type { FailureScript } from "@hermes/emulator";
import type { Mac } from "./mac.ts";
import type { Row } from "./rows.ts";
import { messageJson } from "./serialize.ts";
import type { SocketIo } from "./socket-io.ts";
import type { Webhooks } from "./webhooks.ts";

export interface EventsParts {
  readonly mac: Mac;
  readonly script: FailureScript;
  readonly socket: SocketIo;
  readonly webhooks: Webhooks;
  readonly clock: { now(): number };
}

interface Event {
  readonly type: string;
  /** As clients at the socket get it; webhooks get less. */
  readonly full: unknown;
  readonly short: unknown;
}

/** After that the server has forgotten that it told of a message: a change of it is a new message. */
const REMEMBERED_FOR_MS = 60 * 60_000;

/** What of a message the socket tells. */
const FULL = { chats: true, attributedBody: true };

/** What the server tells of, over its socket and to webhooks. Nothing is acknowledged, kept, or told again. */
export class Events {
  readonly #parts: EventsParts;
  #held: Event[] = [];
  /** While the Mac sleeps. */
  #waiting: Event[] = [];

  constructor(parts: EventsParts) {
    this.#parts = parts;
  }

  /** A row that is new. Only of what people write an event can be lost, come twice, or too late. */
  tellNew(row: Row, isFromPerson: boolean): void {
    row.toldAt = this.#parts.clock.now();
    const event = {
      type: "new-message",
      full: messageJson(row, FULL),
      short: messageJson(row, { isForNotification: true, chats: true }),
    };
    if (isFromPerson) this.#deliver(event);
    else this.#emit(event);
  }

  /** The row of a send was found: the same event, with the name that the client gave it. */
  tellMatch(row: Row, tempGuid: string): void {
    const told = messageJson(row, { isForNotification: true, chats: true, tempGuid });
    this.#emit({ type: "new-message", full: told, short: told });
  }

  /** A row has another date, or another text. Webhooks are not told the chat. */
  tellChanged(row: Row): void {
    const { clock } = this.#parts;
    if (row.toldAt === null || clock.now() - row.toldAt > REMEMBERED_FOR_MS) {
      this.tellNew(row, false);
      return;
    }
    row.toldAt = clock.now();
    this.#emit({
      type: "updated-message",
      full: messageJson(row, FULL),
      short: messageJson(row, { isForNotification: true }),
    });
  }

  /** A change of a group is told under its own name, and as a message. */
  tellGroupChange(row: Row, type: string): void {
    const told = { chats: true, participants: true };
    const short = messageJson(row, { ...told, isForNotification: true });
    this.#emit({ type, full: messageJson(row, told), short });
    this.tellNew(row, false);
  }

  tell(type: string, data: unknown): void {
    this.#emit({ type, full: data, short: data });
  }

  /** Tells what happened while the Mac slept. */
  catchUp(): void {
    for (const event of this.#waiting.splice(0)) this.#emit(event);
  }

  #deliver(event: Event): void {
    const failure = this.#parts.script.take("deliver");
    if (failure?.is === "lose") return;
    if (failure?.is === "out-of-order") {
      this.#held.push(event);
      return;
    }
    this.#emit(event);
    if (failure?.is === "redeliver") this.#emit(event);
    for (const late of this.#held.splice(0)) this.#emit(late);
  }

  #emit(event: Event): void {
    const { socket, webhooks, mac } = this.#parts;
    const { power, isDeaf } = mac.state;
    if (power === "asleep") this.#waiting.push(event);
    if (power !== "on" || isDeaf) return;
    socket.emit(event.type, event.full);
    webhooks.dispatch(event.type, event.short);
  }
}

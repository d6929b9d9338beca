import type { Clock } from "@hermes/core";
import { badRequest, forbidden, notFound, Refusal } from "./refusal.ts";
import { type Content, isObject, relationOf, replacedBy, threadOf, type WireEvent } from "./wire.ts";

/** The largest event in bytes, as it goes over the wire ("Size limits"). */
const LARGEST_EVENT = 65_536;

/** An event with what only the server knows of it. */
export interface Entry {
  event: WireEvent;
  /** Its place in everything that happens on the server; greater than that of all before. */
  position: number;
  /** Who sent it, for whom alone it carries the transaction id. */
  readonly device?: string;
  readonly txnId?: string;
  /** Left out of what `messages` shows. */
  readonly isHidden?: boolean;
}

export type Membership = "join" | "invite" | "leave" | "ban" | "knock";

/** A room as the server holds it: what happened, and what is so now. */
export class RoomRecord {
  readonly id: string;
  readonly clock: Clock;
  readonly entries: Entry[] = [];

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.clock = clock;
  }

  entry(eventId: string | undefined): Entry | undefined {
    return this.entries.find(({ event }) => event.event_id === eventId);
  }

  state(type: string, stateKey = ""): WireEvent | undefined {
    return this.entries.findLast(({ event }) => event.type === type && event.state_key === stateKey)?.event;
  }

  /** What was so at a position: the last event of each type and key. */
  stateAt(position = Number.POSITIVE_INFINITY): WireEvent[] {
    const state = new Map<string, WireEvent>();
    for (const { event, position: at } of this.entries) {
      if (at <= position && event.state_key !== undefined) state.set(`${event.type}\0${event.state_key}`, event);
    }
    return [...state.values()];
  }

  membership(userId: string): Membership | undefined {
    return this.state("m.room.member", userId)?.content.membership as Membership | undefined;
  }

  members(...memberships: readonly Membership[]): string[] {
    return this.stateAt()
      .filter(({ type, content }) => type === "m.room.member" && memberships.includes(content.membership as Membership))
      .map(({ state_key: userId = "" }) => userId);
  }

  get name(): string {
    return String(this.state("m.room.name")?.content.name ?? this.id);
  }

  get isEncrypted(): boolean {
    return this.state("m.room.encryption") !== undefined;
  }

  /** The events that relate to another one, in the order of sending. */
  relations(eventId: string, kind?: string): Entry[] {
    return this.entries.filter(({ event }) => {
      const relation = relationOf(event.content);
      return relation.event_id === eventId && (kind === undefined || relation.rel_type === kind);
    });
  }

  /** Throws where the user may not send this. */
  check(userId: string, type: string, content: Content): void {
    if (this.membership(userId) !== "join") throw forbidden(`User ${userId} not in room ${this.id}`);
    if (this.powerOf(userId) < this.powerFor(type)) {
      throw forbidden(
        `You don't have permission to post that to the room. user_level (${this.powerOf(userId)}) < send_level (${this.powerFor(type)})`,
      );
    }
    if (Buffer.byteLength(JSON.stringify({ type, content, sender: userId, room_id: this.id })) + 500 > LARGEST_EVENT) {
      throw new Refusal(413, "M_TOO_LARGE", "event too large");
    }
    this.#checkRelation(content);
  }

  powerOf(userId: string): number {
    const { users, users_default: usual } = this.#powerLevels;
    return Number((isObject(users) ? users[userId] : undefined) ?? usual ?? 0);
  }

  powerFor(type: string): number {
    const { events, events_default: usual } = this.#powerLevels;
    return Number((isObject(events) ? events[type] : undefined) ?? usual ?? 0);
  }

  get #powerLevels(): Content {
    return this.state("m.room.power_levels")?.content ?? {};
  }

  #checkRelation(content: Content): void {
    const { rel_type: kind, event_id: id } = relationOf(content);
    if (kind === undefined || id === undefined) return;
    const parent = this.entry(id);
    if (parent === undefined) throw badRequest("Can't send relation to unknown event");
    const isRelated = threadOf(parent.event.content) ?? replacedBy(parent.event.content);
    if (kind === "m.thread" && isRelated !== undefined) {
      throw badRequest("Cannot start threads from an event with a relation");
    }
  }

  /** Takes the content of an event away ("Redactions"). */
  redact(eventId: string, because: WireEvent): void {
    const entry = this.entry(eventId);
    if (entry === undefined) throw notFound("Event not found.");
    const { unsigned: _, ...rest } = entry.event;
    entry.event = { ...rest, content: {}, unsigned: { redacted_because: because } };
  }

  isRedacted({ event }: Entry): boolean {
    return event.unsigned?.redacted_because !== undefined;
  }
}

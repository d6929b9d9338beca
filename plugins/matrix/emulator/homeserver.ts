import { randomUUID } from "node:crypto";
import type { Clock } from "@hermes/core";
import { DeviceKeys } from "./device-keys.ts";
import { badRequest, forbidden, notFound } from "./refusal.ts";
import { type Entry, RoomRecord } from "./room.ts";
import { type Content, isObject, type WireEvent } from "./wire.ts";

export const SERVER_NAME = "emulated.test";

/** Who a token belongs to. */
export interface Session {
  readonly userId: string;
  readonly deviceId: string;
  readonly token: string;
}

export interface NewEvent {
  readonly type: string;
  readonly sender: string;
  readonly content: Content;
  readonly stateKey?: string;
  readonly redacts?: string;
}

interface AppendOptions {
  readonly device?: string;
  readonly txnId?: string;
  readonly isHidden?: boolean;
  /** `late`: comes to clients behind the event that is written after it. `twice`: comes to them a second time. */
  readonly delivery?: "late" | "twice";
}

interface Positioned<T> {
  readonly position: number;
  readonly value: T;
}

/** Users, devices, rooms, and the one line of positions in which everything happens. */
export class Homeserver {
  readonly clock: Clock;
  readonly rooms = new Map<string, RoomRecord>();
  readonly aliases = new Map<string, string>();
  readonly keys = new DeviceKeys();
  readonly media = new Map<string, { readonly content: Buffer; readonly mediaType: string; readonly name?: string }>();
  /** Bytes of the largest file ("max_upload_size" of Synapse, by itself 50M). */
  largestUpload = 50 * 1024 ** 2;
  readonly names = new Map<string, string>();
  readonly sessions = new Map<string, Session>();
  /** Tokens that were of a session whose device is still there. */
  readonly expired = new Set<string>();
  readonly typing = new Map<string, ReadonlySet<string>>();
  readonly #toDevice = new Map<string, Positioned<Content>[]>();
  readonly #withheld = new Map<string, (() => void)[]>();
  readonly #deviceChanges: Positioned<string>[] = [];
  readonly #transactions = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  readonly #late: { readonly room: RoomRecord; readonly entry: Entry }[] = [];
  #position = 0;
  /** Nobody is told any more what has happened since a place up to here. */
  #forgottenUpTo = -1;
  /** Ids are not those of an earlier run: who has seen those would take new events for them. */
  readonly #run = randomUUID().slice(0, 8);
  #eventCount = 0;
  #deviceCount = 0;

  constructor(clock: Clock) {
    this.clock = clock;
    this.keys.onChange = (userId) => {
      this.#deviceChanges.push({ position: this.#next(), value: userId });
      this.announce();
    };
  }

  get position(): number {
    return this.#position;
  }

  /** Forgets what the places in its events mean that were handed out, as a server does that was restored. */
  forgetPositions(): void {
    this.#forgottenUpTo = this.#next() - 1;
    this.announce();
  }

  /** Throws for a place that was forgotten. */
  checkPosition(position: number | null): void {
    if (position !== null && position <= this.#forgottenUpTo) throw badRequest("Invalid stream token");
  }

  /** Opens a session of a device; a token of chance where none is given. */
  signIn(userId: string, deviceId: string, token: string = randomUUID()): Session {
    const session = { userId, deviceId, token };
    this.sessions.set(token, session);
    return session;
  }

  expire(token: string): void {
    this.sessions.delete(token);
    this.expired.add(token);
    this.announce();
  }

  /** Devices are not named after those that were: everybody would still know those by their keys. */
  newDeviceNumber(): number {
    return ++this.#deviceCount;
  }

  room(roomId: string): RoomRecord | undefined {
    return this.rooms.get(roomId);
  }

  createRoom(id: string, state: readonly NewEvent[]): RoomRecord {
    const room = new RoomRecord(id, this.clock);
    this.rooms.set(id, room);
    for (const event of state) this.append(room, { stateKey: "", ...event });
    return room;
  }

  append(room: RoomRecord, event: NewEvent, { delivery, ...options }: AppendOptions = {}): Entry {
    const { stateKey, redacts, ...rest } = event;
    const stored: WireEvent = {
      event_id: `$event${++this.#eventCount}_${this.#run}`,
      room_id: room.id,
      origin_server_ts: this.clock.now(),
      ...rest,
      ...(stateKey === undefined ? {} : { state_key: stateKey }),
      ...(redacts === undefined ? {} : { redacts }),
    };
    const entry: Entry = { event: stored, position: Number.POSITIVE_INFINITY, ...options };
    if (redacts !== undefined) room.redact(redacts, stored);
    if (delivery === "late") {
      this.#late.push({ room, entry });
      return entry;
    }
    this.#place(room, entry);
    for (const late of this.#late.splice(0)) this.#place(late.room, late.entry);
    if (delivery === "twice") this.#place(room, { ...entry, isHidden: true });
    this.announce();
    return entry;
  }

  /** Takes an event of a user: once for each transaction ("Transaction identifiers"). Returns its id. */
  send(session: Session, roomId: string, type: string, txnId: string, content: Content): string {
    const key = [session.deviceId, roomId, type, txnId].join("\0");
    const known = this.#transactions.get(key);
    if (known !== undefined) return known;
    const room = this.rooms.get(roomId);
    if (room === undefined) throw forbidden(`User ${session.userId} not in room ${roomId}`);
    room.check(session.userId, type, content);
    const entry = this.append(room, { type, content, sender: session.userId }, { device: session.deviceId, txnId });
    this.#transactions.set(key, entry.event.event_id);
    return entry.event.event_id;
  }

  redact(session: Session, roomId: string, eventId: string): string {
    const room = this.rooms.get(roomId);
    const target = room?.entry(eventId);
    if (room === undefined || target === undefined) throw notFound("Event not found.");
    if (target.event.sender !== session.userId && room.powerOf(session.userId) < 50) {
      throw forbidden("You don't have permission to redact events");
    }
    const redaction = {
      type: "m.room.redaction",
      sender: session.userId,
      content: { redacts: eventId },
      redacts: eventId,
    };
    return this.append(room, redaction).event.event_id;
  }

  setMembership(room: RoomRecord, userId: string, membership: string, sender = userId, more: Content = {}): void {
    const displayname = this.names.get(userId);
    const content = { membership, ...(displayname === undefined ? {} : { displayname }), ...more };
    this.append(room, { type: "m.room.member", sender, stateKey: userId, content });
  }

  queueToDevice(userId: string, deviceId: string, event: Content): void {
    const withheld = this.#withheld.get(userId);
    if (withheld) {
      withheld.push(() => this.queueToDevice(userId, deviceId, event));
      return;
    }
    const key = `${userId}\0${deviceId}`;
    this.#toDevice.set(key, [...(this.#toDevice.get(key) ?? []), { position: this.#next(), value: event }]);
    this.announce();
  }

  /** Keeps what is sent to a user's devices, keys say, while `work` runs: `deliver` brings it to them. */
  async withholding<T>(
    userId: string,
    work: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly deliver: () => void }> {
    const withheld: (() => void)[] = [];
    this.#withheld.set(userId, withheld);
    try {
      const result = await work();
      return {
        result,
        deliver: () => {
          for (const deliver of withheld.splice(0)) deliver();
        },
      };
    } finally {
      this.#withheld.delete(userId);
    }
  }

  /** What has come for a device since a position; what came before has been received, and is forgotten. */
  takeToDevice({ userId, deviceId }: Session, since: number): Content[] {
    const key = `${userId}\0${deviceId}`;
    const left = (this.#toDevice.get(key) ?? []).filter(({ position }) => position > since);
    this.#toDevice.set(key, left);
    return left.map(({ value }) => value);
  }

  /** Users whose devices have changed since a position, among those that share a room with `userId`. */
  devicesChangedSince(userId: string, since: number): string[] {
    const rooms = [...this.rooms.values()].filter((room) => room.membership(userId) === "join");
    const isSeen = (other: string) => other === userId || rooms.some((room) => room.membership(other) === "join");
    const changed = this.#deviceChanges.filter(({ position, value }) => position > since && isSeen(value));
    return [...new Set(changed.map(({ value }) => value))];
  }

  /** Resolves when anything has happened, or `signal` aborts. */
  news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#listeners.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#listeners.add(done);
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
    });
  }

  announce(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  setTyping(roomId: string, userId: string, isTyping: boolean): void {
    const now = new Set(this.typing.get(roomId));
    if (isTyping) now.add(userId);
    else now.delete(userId);
    this.typing.set(roomId, now);
  }

  #place(room: RoomRecord, entry: Entry): void {
    entry.position = this.#next();
    room.entries.push(entry);
  }

  #next(): number {
    return ++this.#position;
  }
}

/** A user's id as it stands in a link or an address; throws for what is none. */
export function checkUserId(userId: string): string {
  if (!/^@[^:]+:.+$/.test(userId)) throw new Error(`a person's id is like @ada:${SERVER_NAME}, and ${userId} is not`);
  return userId;
}

export function stringIn(content: unknown, name: string): string | undefined {
  const value = isObject(content) ? content[name] : undefined;
  return typeof value === "string" ? value : undefined;
}

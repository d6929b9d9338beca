import { randomUUID } from "node:crypto";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import type { PluginDeps, Redactor } from "@hermes/core";
import Database from "better-sqlite3";
import { Superseded } from "../errors.ts";
import type { RoomFacts } from "../rooms.ts";
import type { MatrixEvent } from "../wire.ts";
import { CryptoRecords } from "./crypto-records.ts";

/** The session of an account that Hermes logged in itself. */
export interface KeptSession {
  /** The name that it was logged in by, as the config has it. */
  readonly user: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly accessToken: string;
}

/** The secret keys of an account's identity, by which its devices are signed ("Cross-signing"). */
export interface KeptIdentity {
  readonly master: string;
  readonly selfSigning: string;
  readonly userSigning: string;
}

/** An encrypted message whose key has not come yet. */
export interface WaitingEvent {
  readonly roomId: string;
  readonly event: MatrixEvent;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly isNoticed: boolean;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS rooms (id TEXT PRIMARY KEY, facts TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS waiting (
    event_id TEXT PRIMARY KEY, room_id TEXT NOT NULL, event TEXT NOT NULL, since INTEGER NOT NULL,
    noticed INTEGER NOT NULL DEFAULT 0
  ) STRICT;
`;

/**
 * What the bot has to remember of Matrix, in one file that only its owner may read: how far it has received, what it
 * knows of rooms, its keys.
 */
export class BotStore {
  readonly #database: Database.Database;
  readonly #holder = randomUUID();
  readonly #redact: Redactor;
  readonly #noteSecret: PluginDeps["noteSecret"];
  readonly crypto: CryptoRecords;

  /** `redact`: of what people call their rooms, which is kept. `noteSecret`: takes the secrets that are kept here. */
  constructor(folder: string, redact: Redactor = (text) => text, noteSecret: PluginDeps["noteSecret"] = () => {}) {
    this.#redact = redact;
    this.#noteSecret = noteSecret;
    const file = join(folder, "matrix.db");
    this.#database = new Database(file, { timeout: 5_000 });
    chmodSync(file, 0o600);
    this.#database.pragma("journal_mode = WAL");
    // A key that was used and is forgotten at a power cut would be used a second time.
    this.#database.pragma("synchronous = FULL");
    // The driver's 16 MiB are more than keys need.
    this.#database.pragma("cache_size = -2000");
    this.#database.exec(SCHEMA);
    this.#setFact("holder", this.#holder);
    this.crypto = new CryptoRecords(this.#database, (work) => this.#atomically(work));
  }

  /** Whose data this is; data of another session is dropped, since its keys are of no use. */
  belongTo(userId: string, deviceId: string): void {
    const owner = `${userId} ${deviceId}`;
    if (this.#fact("owner") === owner) return;
    this.#atomically(() => {
      // Another device of the same account has seen the same rooms and messages.
      const isSameUser = this.#fact("owner")?.startsWith(`${userId} `) ?? false;
      if (!isSameUser) this.#database.exec("DELETE FROM rooms; DELETE FROM facts WHERE name <> 'holder'");
      this.#database.exec("DELETE FROM waiting");
      this.crypto.clear();
      this.#setFact("owner", owner);
    });
  }

  /** The device whose keys are here; undefined where there is none. */
  get deviceId(): string | undefined {
    return this.#fact("owner")?.split(" ")[1] || undefined;
  }

  /** From where to receive on; null before the first sync. */
  get syncToken(): string | null {
    return this.#fact("sync");
  }

  /** Records that everything up to `token` is kept, with what is known of rooms by then. */
  commit(token: string, rooms: ReadonlyMap<string, RoomFacts>): void {
    this.#atomically(() => {
      for (const [id, facts] of rooms) this.saveRoom(id, facts);
      this.#setFact("sync", token);
    });
  }

  saveRoom(id: string, { name, ...others }: RoomFacts): void {
    const facts: RoomFacts = { ...others, ...(name === undefined ? {} : { name: this.#redact(name) }) };
    this.#database
      .prepare("INSERT INTO rooms (id, facts) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET facts = excluded.facts")
      .run(id, JSON.stringify(facts));
  }

  rooms(): Map<string, RoomFacts> {
    const rows = this.#database.prepare<[], { id: string; facts: string }>("SELECT id, facts FROM rooms").all();
    return new Map(rows.map(({ id, facts }) => [id, JSON.parse(facts) as RoomFacts]));
  }

  get session(): KeptSession | null {
    const kept = this.#fact("session");
    if (kept === null) return null;
    const session = JSON.parse(kept) as KeptSession;
    this.#noteSecret(session.accessToken);
    return session;
  }

  saveSession(session: KeptSession): void {
    this.#noteSecret(session.accessToken);
    this.#setFact("session", JSON.stringify(session));
  }

  /** Null where the account has no identity, or one that was made elsewhere. */
  get identity(): KeptIdentity | null {
    const kept = this.#fact("identity");
    if (kept === null) return null;
    const identity = JSON.parse(kept) as KeptIdentity;
    this.#noteIdentity(identity);
    return identity;
  }

  saveIdentity(identity: KeptIdentity): void {
    this.#noteIdentity(identity);
    this.#setFact("identity", JSON.stringify(identity));
  }

  #noteIdentity({ master, selfSigning, userSigning }: KeptIdentity): void {
    for (const key of [master, selfSigning, userSigning]) this.#noteSecret(key);
  }

  keepWaiting(roomId: string, event: MatrixEvent, since: number): void {
    this.#database
      .prepare("INSERT OR IGNORE INTO waiting (event_id, room_id, event, since) VALUES (?, ?, ?, ?)")
      .run(event.event_id, roomId, JSON.stringify(event), since);
  }

  /** Oldest first. */
  waiting(): WaitingEvent[] {
    const rows = this.#database
      .prepare<[], { room_id: string; event: string; since: number; noticed: number }>(
        "SELECT room_id, event, since, noticed FROM waiting ORDER BY rowid",
      )
      .all();
    return rows.map(({ room_id: roomId, event, since, noticed }) => ({
      roomId,
      since,
      isNoticed: noticed === 1,
      event: JSON.parse(event) as MatrixEvent,
    }));
  }

  markNoticed(eventId: string): void {
    this.#database.prepare("UPDATE waiting SET noticed = 1 WHERE event_id = ?").run(eventId);
  }

  dropWaiting(eventId: string): void {
    this.#database.prepare("DELETE FROM waiting WHERE event_id = ?").run(eventId);
  }

  close(): void {
    this.#database.close();
  }

  #fact(name: string): string | null {
    const row = this.#database.prepare<[string], { value: string }>("SELECT value FROM facts WHERE name = ?").get(name);
    return row?.value ?? null;
  }

  #setFact(name: string, value: string): void {
    this.#database
      .prepare("INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
      .run(name, value);
  }

  /** Throws Superseded. */
  #atomically(work: () => void): void {
    const checked = () => {
      if (this.#fact("holder") !== this.#holder) throw new Superseded();
      work();
    };
    if (this.#database.inTransaction) checked();
    else this.#database.transaction(checked).immediate();
  }
}

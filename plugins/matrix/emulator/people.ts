import { EncryptedPerson } from "./encrypted-person.ts";
import { checkUserId, type Homeserver, type Session } from "./homeserver.ts";
import type { RoomRecord } from "./room.ts";
import type { Content } from "./wire.ts";

/** The people of an emulator whose rooms are encrypted: each has a client, from the moment it is needed. */
export class People {
  readonly #server: Homeserver;
  readonly #botId: string;
  readonly #url: () => string;
  readonly #clients = new Map<string, Promise<EncryptedPerson>>();
  readonly #ready: EncryptedPerson[] = [];
  #isClosed = false;

  constructor(server: Homeserver, botId: string, url: () => string) {
    this.#server = server;
    this.#botId = botId;
    this.#url = url;
  }

  /** A person's client, which is started where it is not yet. */
  get(userId: string): Promise<EncryptedPerson> {
    const known = this.#clients.get(userId);
    if (known) return known;
    const session = this.#server.signIn(checkUserId(userId), `${userId.slice(1, 4).toUpperCase()}PHONE`);
    const starting = this.#start(session);
    this.#clients.set(userId, starting);
    return starting;
  }

  /** Before the bot looks for the devices of people, they have some. */
  async arrive(userIds: readonly string[]): Promise<void> {
    const inEncrypted = [...this.#server.rooms.values()].filter(({ isEncrypted }) => isEncrypted);
    const wanted = userIds.filter(
      (id) => id !== this.#botId && inEncrypted.some((room) => room.membership(id) === "join"),
    );
    await Promise.all(wanted.map((id) => this.get(id)));
  }

  /** Resolves when what was sent has been read: whoever looks then sees the text. */
  async read(room: RoomRecord, eventId: string): Promise<void> {
    if (room.entry(eventId)?.event.type !== "m.room.encrypted") return;
    const readers = room.members("join").flatMap((id) => this.#clients.get(id) ?? []);
    await Promise.race(readers.map(async (reader) => (await reader).hasRead(eventId)));
  }

  /** What an encrypted event says, if anybody could read it. */
  contentOf(eventId: string): Content | undefined {
    return this.#ready.map((person) => person.contentOf(eventId)).find((content) => content !== undefined);
  }

  /** A file as those read it who got the keys in its event; null where nobody has a client. */
  decryptFile(data: Buffer, info: Content): Buffer | null {
    return this.#ready[0]?.files.decrypt(data, info) ?? null;
  }

  async #start(session: Session): Promise<EncryptedPerson> {
    const person = await EncryptedPerson.start(this.#url(), session);
    // Nobody can write to a device before its keys are there.
    while (!this.#server.keys.has(session.userId, session.deviceId) && !this.#isClosed) {
      await this.#server.news(AbortSignal.timeout(100));
    }
    this.#ready.push(person);
    return person;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#clients.values());
    for (const person of this.#ready) person.close();
  }
}

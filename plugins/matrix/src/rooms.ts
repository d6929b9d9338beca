import { type ChatKind, type Clock, RecentMap } from "@hermes/core";
import type { MatrixApi } from "./api.ts";
import { type Content, type JoinedRoom, type MatrixEvent, numberOf, objectOf, stringOf } from "./wire.ts";

export interface RoomEncryption {
  readonly algorithm: string;
  readonly rotationMs?: number | undefined;
  readonly rotationMessages?: number | undefined;
  readonly visibility: string;
}

/** What the bot has to know of a room from one process to the next. */
export interface RoomFacts {
  membership: "join" | "invite" | "leave";
  /** Who has invited the bot, where it is invited. */
  inviter?: string;
  name?: string | undefined;
  /** How many are in it, the bot among them, and how many are invited. */
  joined: number;
  invited: number;
  /** Once encrypted, always encrypted: a server that says otherwise is not believed. */
  encryption?: { readonly algorithm: string; readonly rotationMs?: number; readonly rotationMessages?: number };
  visibility: string;
  /** The room that this one says it is followed by. */
  replacement?: string;
  /** The same, once it has said that it follows this one. */
  successor?: string;
  predecessor?: string;
}

/** The algorithm of room encryption that clients have in common. */
const MEGOLM = "m.megolm.v1.aes-sha2";

/** How many people may be in a room of which all state is asked for at once. */
const FEW = 10;

/**
 * For how long it holds, in milliseconds, that a room was seen not to be encrypted when it was asked who is there: the send
 * for which that is asked comes next.
 */
const OPEN_FOR_MS = 1_000;

/** What is known of the rooms that the bot is in, or was. */
export class Rooms {
  readonly #api: MatrixApi;
  readonly #clock: Clock;
  readonly #facts: Map<string, RoomFacts>;
  readonly #changed = new Set<string>();
  /** Who is there; asked for when a message is encrypted, and forgotten when somebody comes or goes. */
  readonly #members = new Map<string, readonly MatrixEvent[]>();
  /** Rooms that the config says others read in, whoever is left there. */
  readonly #shared = new Set<string>();

  /** When rooms were seen last not to be encrypted, in milliseconds of the steady clock. */
  readonly #openAt = new RecentMap<string, number>(1_000);

  constructor(api: MatrixApi, known: Map<string, RoomFacts>, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
    this.#facts = known;
  }

  get(roomId: string): RoomFacts | undefined {
    return this.#facts.get(roomId);
  }

  /** What has changed since it was asked last. */
  takeChanges(): Map<string, RoomFacts> {
    const changes = [...this.#changed].flatMap((id) => {
      const facts = this.#facts.get(id);
      return facts ? [[id, facts] as const] : [];
    });
    this.#changed.clear();
    return new Map(changes);
  }

  /** Takes over what a sync says about a room. */
  apply(roomId: string, { state, timeline, summary }: JoinedRoom): void {
    const facts = this.#change(roomId);
    facts.membership = "join";
    facts.joined = summary?.["m.joined_member_count"] ?? facts.joined;
    facts.invited = summary?.["m.invited_member_count"] ?? facts.invited;
    // What happened in between may have changed who is there.
    if (timeline?.limited) this.#members.delete(roomId);
    for (const event of [...(state?.events ?? []), ...(timeline?.events ?? [])]) this.#applyState(roomId, facts, event);
  }

  /** Notes an invitation; it stands until the bot enters, or somebody takes it back. */
  invite(roomId: string, inviter: string): void {
    const facts = this.#change(roomId);
    facts.membership = "invite";
    facts.inviter = inviter;
  }

  get invitations(): { readonly roomId: string; readonly inviter: string }[] {
    return [...this.#facts].flatMap(([roomId, { membership, inviter }]) =>
      membership === "invite" && inviter !== undefined ? [{ roomId, inviter }] : [],
    );
  }

  leave(roomId: string): void {
    this.#change(roomId).membership = "leave";
    this.#members.delete(roomId);
  }

  share(roomId: string): void {
    this.#shared.add(roomId);
  }

  /** `dm` with only the bot and one other person in the room. */
  async kindOf(roomId: string): Promise<ChatKind> {
    if (this.#shared.has(this.canonical(roomId))) return "group";
    const { joined, invited } = await this.#counts(roomId);
    return joined + invited <= 2 ? "dm" : "group";
  }

  /**
   * How a room is encrypted; null where it certainly is not. That a room is open is asked anew each time: it may have
   * been encrypted since the last sync, and syncs may fail while sends succeed.
   */
  async encryptionOf(roomId: string): Promise<RoomEncryption | null> {
    const known = this.#facts.get(roomId);
    if (known?.encryption) return { ...known.encryption, visibility: known.visibility };
    if (this.#clock.steady().ms - (this.#openAt.get(roomId) ?? Number.NEGATIVE_INFINITY) < OPEN_FOR_MS) return null;
    const content = await this.#api.state(roomId, "m.room.encryption");
    if (content === null) return null;
    this.#noteEncryption(roomId, content);
    const visibility = await this.#api.state(roomId, "m.room.history_visibility");
    return { ...encryptionIn(content), visibility: stringOf(visibility?.history_visibility) ?? "shared" };
  }

  /**
   * Who is in a room, the bot among them; fails where the bot is not. In a small one that is not known to be encrypted, the
   * same call tells whether it is.
   */
  async joined(roomId: string): Promise<string[]> {
    const known = this.#facts.get(roomId);
    if (known?.membership !== "join" || known.encryption || known.joined > FEW) return this.#api.joinedMembers(roomId);
    const askedAt = this.#clock.steady().ms;
    const state = await this.#api.allState(roomId);
    const encryption = state.find(({ type, state_key: key }) => type === "m.room.encryption" && key === "");
    if (encryption) this.#noteEncryption(roomId, encryption.content);
    else this.#openAt.set(roomId, askedAt);
    return state.flatMap(({ type, content, state_key: userId }) =>
      type === "m.room.member" && content.membership === "join" && userId !== undefined ? [userId] : [],
    );
  }

  /** Whose devices get the key of an encrypted message. */
  async readersOf(roomId: string, { visibility }: RoomEncryption): Promise<string[]> {
    const members = this.#members.get(roomId) ?? (await this.#api.members(roomId));
    this.#members.set(roomId, members);
    const wanted = visibility === "joined" ? ["join"] : ["join", "invite"];
    return members
      .filter(({ content }) => wanted.includes(String(content.membership)))
      .flatMap(({ state_key: userId }) => userId ?? []);
  }

  /** The id by which a room is known to Hermes: the one it had before it was upgraded, so that sessions are found again. */
  canonical(roomId: string): string {
    return this.#follow(roomId, (facts, id) => {
      const before = facts?.predecessor;
      // The old room has to say so too: anybody could make a room that claims to follow another.
      return before !== undefined && this.#facts.get(before)?.successor === id ? before : undefined;
    });
  }

  /** The room in which a conversation goes on. */
  current(roomId: string): string {
    return this.#follow(roomId, (facts) => facts?.successor);
  }

  /** Whether any room that the bot is in is encrypted. */
  get hasEncrypted(): boolean {
    return [...this.#facts.values()].some(
      ({ membership, encryption }) => membership === "join" && encryption !== undefined,
    );
  }

  /** The replaced room that waits for its successor, by the successor's id. */
  replacedBy(replacement: string): string | undefined {
    return [...this.#facts].find(([, facts]) => facts.replacement === replacement)?.[0];
  }

  /** Replacements that the bot is not in yet. */
  get awaited(): { readonly from: string; readonly to: string }[] {
    return [...this.#facts].flatMap(([from, { replacement: to, membership }]) =>
      to !== undefined && membership === "join" && this.#facts.get(to)?.membership !== "join" ? [{ from, to }] : [],
    );
  }

  #noteEncryption(roomId: string, content: Content): void {
    if (this.#facts.get(roomId)?.membership === "join") this.#change(roomId).encryption = encryptionIn(content);
  }

  #follow(roomId: string, step: (facts: RoomFacts | undefined, id: string) => string | undefined): string {
    const seen = new Set([roomId]);
    let at = roomId;
    for (;;) {
      const next = step(this.#facts.get(at), at);
      if (next === undefined || seen.has(next)) return at;
      seen.add(next);
      at = next;
    }
  }

  async #counts(roomId: string): Promise<{ joined: number; invited: number }> {
    const facts = this.#facts.get(roomId);
    if (facts?.membership === "join" && facts.joined > 0) return facts;
    const members = await this.#api.members(roomId);
    const count = (membership: string) => members.filter(({ content }) => content.membership === membership).length;
    return { joined: count("join"), invited: count("invite") };
  }

  #change(roomId: string): RoomFacts {
    const facts = this.#facts.get(roomId) ?? { membership: "join", joined: 0, invited: 0, visibility: "shared" };
    this.#facts.set(roomId, facts);
    this.#changed.add(roomId);
    return facts;
  }

  #applyState(roomId: string, facts: RoomFacts, { type, state_key: key, content }: MatrixEvent): void {
    if (key === undefined) return;
    if (type === "m.room.member") this.#members.delete(roomId);
    if (key !== "") return;
    switch (type) {
      case "m.room.name":
        facts.name = stringOf(content.name);
        break;
      case "m.room.encryption":
        facts.encryption = encryptionIn(content);
        break;
      case "m.room.history_visibility":
        facts.visibility = stringOf(content.history_visibility) ?? "shared";
        break;
      case "m.room.create":
        this.#link(stringOf(objectOf(content.predecessor).room_id), roomId);
        break;
      case "m.room.tombstone": {
        const replacement = stringOf(content.replacement_room);
        if (replacement === undefined) break;
        facts.replacement = replacement;
        if (this.#facts.get(replacement)?.predecessor === roomId) facts.successor = replacement;
      }
    }
  }

  #link(predecessor: string | undefined, roomId: string): void {
    if (predecessor === undefined) return;
    this.#change(roomId).predecessor = predecessor;
    const before = this.#facts.get(predecessor);
    if (before?.replacement === roomId) this.#change(predecessor).successor = roomId;
  }
}

/** Whether the bot can write in a room that is encrypted like this. */
export function isKnownEncryption({ algorithm }: RoomEncryption): boolean {
  return algorithm === MEGOLM;
}

function encryptionIn(content: Content): NonNullable<RoomFacts["encryption"]> {
  const rotationMs = numberOf(content.rotation_period_ms);
  const rotationMessages = numberOf(content.rotation_period_msgs);
  return {
    algorithm: stringOf(content.algorithm) ?? "",
    ...(rotationMs === undefined ? {} : { rotationMs }),
    ...(rotationMessages === undefined ? {} : { rotationMessages }),
  };
}

import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type EmulatedChat,
  type EmulatedMessage,
  type EmulatedPerson,
  type EmulatedPlace,
  type EmulatedRetraction,
  EmulatorBase,
  type EmulatorOptions,
} from "@hermes/emulator";
import { EventFeed, type FeedOptions } from "./event-feed.ts";
import { FAILURES } from "./failures.ts";
import { type DaemonState, HttpApi } from "./http-api.ts";
import { groupIdOf, makePerson, type Person, SELF, type StoredMessage, World } from "./world.ts";
import { type SignalInbound, write } from "./writing.ts";

export interface SignalEmulatorOptions extends EmulatorOptions {
  /** The account that the daemon serves: by itself that of {@link PEOPLE}`.self`. */
  readonly account?: string | undefined;
}

/** The people that are there from the start; `self` is the account that Hermes writes as. */
export const PEOPLE = {
  self: { uuid: SELF.uuid, number: "+4915550000000" },
  ada: { uuid: "11111111-aaaa-4bbb-8ccc-000000000001", number: "+4915551111111" },
  grace: { uuid: "22222222-aaaa-4bbb-8ccc-000000000002", number: "+4915552222222" },
} as const;

/** The chats that are there from the start. */
export const CHATS = {
  ada: PEOPLE.ada.uuid,
  grace: PEOPLE.grace.uuid,
  group: groupIdOf("The team"),
  otherGroup: groupIdOf("Another group"),
  noteToSelf: SELF.uuid,
} as const;

/**
 * A `signal-cli daemon --http` on this machine, with people, groups and the notes to oneself behind it. It answers as
 * signal-cli 0.14.9 does: JSON-RPC with results for each recipient, events as server-sent events.
 */
export class SignalEmulator extends EmulatorBase {
  readonly platform = "signal";
  readonly #world: World;
  /** The stream of events: it takes any, ends, or goes mute. */
  readonly feed: EventFeed;
  readonly #api: HttpApi;
  readonly #account: string;

  private constructor({ account = PEOPLE.self.number, clock }: SignalEmulatorOptions) {
    super({ clock, failures: FAILURES });
    this.#account = account;
    this.#world = new World(this.clock);
    this.feed = new EventFeed(this.script, this.clock);
    this.#api = new HttpApi(
      { world: this.#world, feed: this.feed, script: this.script, requests: this.requests },
      { accounts: [account], version: "0.14.9", flavour: "signal-cli" },
    );
    const [ada, grace] = [
      makePerson("Ada", PEOPLE.ada.uuid, PEOPLE.ada.number),
      makePerson("Grace", PEOPLE.grace.uuid, PEOPLE.grace.number),
    ];
    this.#world.people.push(ada, grace);
    this.#world.onReadable = (event) => this.feed.push(event);
    for (const name of ["The team", "Another group"]) {
      const state = { isMember: true, isBlocked: false, onlyAdminsSend: false };
      this.#world.groups.push({ id: groupIdOf(name), name, members: [ada, grace], ...state });
    }
  }

  static start(options: SignalEmulatorOptions = {}): Promise<SignalEmulator> {
    return new SignalEmulator(options).listen(options);
  }

  protected override answer(request: IncomingMessage, response: ServerResponse): void | Promise<void> {
    return this.#api.answer(request, response);
  }

  get options(): { readonly url: string } {
    return { url: this.url };
  }

  get chats(): readonly EmulatedChat[] {
    const threads = { hasThreads: false };
    return [
      ...this.#world.people.map(({ uuid, name }) => {
        return { id: uuid, name, kind: "dm" as const, label: "private chat", ...threads };
      }),
      ...this.#world.groups.map(({ id, name }) => {
        return { id, name, kind: "group" as const, label: "group", ...threads };
      }),
      { id: SELF.uuid, name: "Note to Self", kind: "dm", label: "notes to oneself", ...threads },
    ];
  }

  get people(): readonly EmulatedPerson[] {
    return this.#world.people.map(({ uuid, name }) => ({ id: uuid, name }));
  }

  get isConnected(): boolean {
    return this.feed.isConnected;
  }

  messages(chatId: string): readonly EmulatedMessage[] {
    return this.#world.messagesIn(chatId).map(asEmulated);
  }

  async receive(message: SignalInbound): Promise<{ readonly messageId: string }> {
    const { id, event } = write(this.#world, message, this.#account);
    this.feed.push(event);
    return { messageId: id };
  }

  /** The app of whoever wrote it tells all others; nothing on Signal checks who says so. */
  retract({ chatId, messageId, userId }: EmulatedRetraction): void {
    const [author = "", timestamp = "0"] = messageId.split(":");
    const [uuid = author] = author.split("/");
    const by = userId ?? uuid;
    const fields = { message: null, remoteDelete: { timestamp: Number(timestamp) } };
    const { event } = write(this.#world, { chatId, userId: by, text: "", fields }, this.#account);
    this.feed.push(event);
  }

  sendUnreadable({ chatId }: EmulatedPlace): Promise<{ readonly messageId: string }> {
    return this.receive({ chatId, text: "", fields: { sticker: { packId: "1", stickerId: 2 } } });
  }

  /** When the daemon gets messages from Signal, and whether it numbers and keeps its events (since 0.14.9). */
  setFeed(options: Partial<FeedOptions>): void {
    this.feed.options = { ...this.feed.options, ...options };
  }

  /** A number is taken over by somebody else, and nobody is told. Who had it has `next` now. */
  passNumber(id: string, { to, next }: { readonly to: string; readonly next: string }): void {
    const person = this.#person(id);
    this.#person(to).number = person.number;
    person.number = next;
  }

  /** Somebody confirms the new safety number on the daemon. */
  trust(id: string): void {
    this.#world.trust(this.#person(id));
  }

  /** What answers at the address: its version, the accounts it serves, or another program altogether. */
  setDaemon(state: Partial<DaemonState>): void {
    Object.assign(this.#api.state, state);
  }

  /** Whether a person is on Signal, was met before, or is blocked, and whether their new safety number is confirmed. */
  setPerson(
    id: string,
    state: Partial<Pick<Person, "name" | "isRegistered" | "isKnown" | "isBlocked" | "isUntrusted">>,
  ): void {
    Object.assign(this.#person(id), state);
  }

  /** Whether the account is in a group, has it blocked, or may write there. */
  setGroup(id: string, state: { isMember?: boolean; isBlocked?: boolean; onlyAdminsSend?: boolean }): void {
    const group = this.#world.group(id);
    if (group === undefined) throw new Error(`there is no group ${id}`);
    Object.assign(group, state);
  }

  /** The daemon runs with `--ignore-attachments`. */
  ignoreAttachments(isIgnoring: boolean): void {
    this.#world.ignoresAttachments = isIgnoring;
  }

  #person(id: string): Person {
    const person = this.#world.person(id);
    if (person === undefined) throw new Error(`there is nobody called ${id}`);
    return person;
  }
}

function asEmulated({ author, timestamp, text, raw, isEdited, files }: StoredMessage): EmulatedMessage {
  const isBot = author === SELF.uuid;
  const { mentions = [] } = Object(raw) as { mentions?: readonly unknown[] };
  const notifies = isBot ? { notifies: mentions.map(String) } : {};
  const sent = isBot && files.length > 0 ? { files } : {};
  const said = { id: `${author}:${timestamp}`, author: isBot ? "bot" : author, text, raw, isEdited };
  return { ...said, fileNames: files.map(({ name }) => name), ...notifies, ...sent };
}

import type { Clock, Conversation, IdSource, InboundMessage, Piece } from "@hermes/core";
import { buildSessionKey, type SessionKey } from "@hermes/core";
import type {
  BindHandoff,
  Handoff,
  HandoffId,
  Holder,
  InboxRow,
  NewOutboxEntry,
  OutboxRow,
  ProcessProbe,
  StartTurn,
  StartTurnResult,
  Store,
} from "@hermes/core/embed";
import { homeOf, type NewSession, OPERATOR, type Session, type SessionId } from "@hermes/core/embed";
import { expect, it } from "vitest";
import { createVirtualClock, type VirtualClock } from "../virtual-clock.ts";

/** The dependencies of a store under test: time, ids and processes come from the kit. */
export interface StoreParts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly probe: ProcessProbe;
}

/** An empty store, and other ways to the same data. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Closes `store` and opens the data again, as after a restart; another `clock` stands for a reboot. */
  reopen(clock?: Clock): Promise<Store>;
  /** Another handle besides `store`, like another process; another `clock` stands for another machine. */
  second(clock?: Clock): Promise<Store>;
  /** Closes every handle and removes the data. */
  dispose(): Promise<void>;
}

export type CreateStore = (parts: StoreParts) => Promise<StoreUnderTest>;

export type StartedTurn = Extract<StartTurnResult, { ok: true }>;

/** The fields that start the turn of a message from a platform. */
type Asked = Pick<StartTurn, "surface" | "message"> & {
  readonly cause: { readonly kind: "inbox"; readonly inboxId: InboxRow["id"] };
};

/** The length of the kit's leases, in milliseconds. */
export const LEASE_MS = 15_000;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * 60 * 60 * 1000;

export const UNREACHABLE = { code: "PLATFORM_UNAVAILABLE", text: "it is down" } as const;
export const UNCERTAIN = { code: "PLATFORM_UNCERTAIN", text: "the line broke" } as const;
export const REFUSED = { code: "PLATFORM_FORBIDDEN", text: "the bot was blocked" } as const;
export const PIECES = [{ text: "a piece" }] as const;

/** What is said where a place is parted from its session, because others read it since it was moved. */
export const MOVED = { kind: "notice", markdown: "Others read here now." } as const;

export const HOME: Conversation = { platform: "pager", chatId: "100", kind: "dm" };
export const THREAD: Conversation = { ...HOME, threadId: "7" };
export const HOME_KEY = buildSessionKey(HOME);
export const THREAD_KEY = buildSessionKey(THREAD);
export const AT_HOME = { key: HOME_KEY, conversation: HOME };
export const AT_THREAD = { key: THREAD_KEY, conversation: THREAD };

/** One store with everything a test needs around it. */
export class Kit {
  readonly clock: VirtualClock;
  readonly #gone: Set<string>;
  readonly #test: StoreUnderTest;
  store: Store;
  #pids = 100;
  #messages = 0;

  private constructor(clock: VirtualClock, gone: Set<string>, test: StoreUnderTest) {
    this.clock = clock;
    this.#gone = gone;
    this.#test = test;
    this.store = test.store;
  }

  static async open(create: CreateStore): Promise<Kit> {
    const clock = createVirtualClock();
    const gone = new Set<string>();
    let ids = 0;
    const test = await create({
      clock,
      ids: { next: (prefix) => `${prefix}_${String(++ids).padStart(8, "0")}` },
      probe: {
        fate: (holder) => (holder.host === "elsewhere" ? "unknown" : gone.has(holder.id) ? "gone" : "alive"),
      },
    });
    return new Kit(clock, gone, test);
  }

  second(): Promise<Store> {
    return this.#test.second();
  }

  /** A handle like that of a process on another machine. */
  onAnotherMachine(): Promise<Store> {
    return this.#test.second(this.clock.onBoot("boot-of-another"));
  }

  /** Restarts all processes: `store` is another handle from now on. */
  async restart(): Promise<void> {
    this.store = await this.#test.reopen();
  }

  /** Reboots the machine, which then knows no earlier process. */
  async reboot(): Promise<void> {
    this.store = await this.#test.reopen(this.clock.onBoot("boot-2"));
  }

  dispose(): Promise<void> {
    return this.#test.dispose();
  }

  process(role: Holder["role"] = "terminal", host = "here"): Holder {
    const pid = ++this.#pids;
    return { id: `process-${pid}`, host, pid, pidStart: "1", role };
  }

  kill(holder: Holder): void {
    this.#gone.add(holder.id);
  }

  session(options: Partial<NewSession> = {}): Promise<Session> {
    return this.store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null, ...options });
  }

  turn(sessionId: SessionId, options: Partial<StartTurn> = {}, store = this.store): Promise<StartTurnResult> {
    return store.turns.startTurn({
      sessionId,
      holder: this.process(),
      cause: { kind: "terminal" },
      surface: "terminal",
      leaseMs: LEASE_MS,
      message: { role: "user", text: "a question" },
      ...options,
    });
  }

  async granted(sessionId: SessionId, options: Partial<StartTurn> = {}, store = this.store): Promise<StartedTurn> {
    const result = await this.turn(sessionId, options, store);
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) throw new Error("the turn was not granted");
    return result;
  }

  /** Ends a turn, with `answer` as its last message. */
  finish(
    { turn, fence }: Pick<StartedTurn, "turn" | "fence">,
    answer: string | null = null,
    change: Partial<Parameters<Store["turns"]["finishTurn"]>[0]> = {},
  ): Promise<void> {
    const messages = answer === null ? [] : [{ role: "assistant", text: answer } as const];
    return this.store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [], ...change });
  }

  /** Adds a whole exchange in the terminal. */
  async exchange(sessionId: SessionId, question: string, answer: string): Promise<void> {
    await this.finish(await this.granted(sessionId, { message: { role: "user", text: question } }), answer);
  }

  /** The texts of a transcript with their roles, such as `user: hello`. */
  async texts(sessionId: SessionId): Promise<string[]> {
    return (await this.store.transcripts.read(sessionId)).map(({ role, text }) => `${role}: ${text}`);
  }

  message(text: string, conversation = HOME, messageId = `m${++this.#messages}`): InboundMessage {
    return { conversation, messageId, sender: { id: "ada" }, text, sentAt: this.clock.now() };
  }

  async accepted(text: string, conversation = HOME): Promise<InboxRow> {
    const result = await this.store.inbox.acceptInbound(
      buildSessionKey(conversation),
      this.message(text, conversation),
    );
    if (result.outcome !== "accepted") throw new Error(`the message was ${result.outcome}`);
    return result.row;
  }

  /** The fields that start the turn of a message, which a person wrote just now in the home. */
  async asked(text: string): Promise<Asked> {
    const { id: inboxId } = await this.accepted(text);
    return { cause: { kind: "inbox", inboxId }, surface: HOME_KEY, message: { role: "user", text } };
  }

  /** A gateway that serves the platform, with the account's lease. */
  async gateway(): Promise<Holder> {
    const gateway = this.process("gateway");
    expect(await this.store.leases.acquire("account:pager:", gateway, LEASE_MS)).toBe(true);
    return gateway;
  }

  async requested(sessionId: SessionId, platform = "pager"): Promise<Handoff> {
    const result = await this.store.handoffs.requestHandoff(sessionId, homeOf(platform));
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) throw new Error("the handoff was refused");
    return result.handoff;
  }

  async claimed(sessionId: SessionId, holder: Holder): Promise<HandoffId> {
    const { id } = await this.requested(sessionId);
    expect(await this.store.handoffs.claimHandoff(id, holder, LEASE_MS)).toBe(true);
    return id;
  }

  /** A handoff that is bound to `conversation`, with a notice in the outbox. */
  async bound(sessionId: SessionId, holder: Holder, conversation = THREAD): Promise<HandoffId> {
    const id = await this.claimed(sessionId, holder);
    await this.store.handoffs.advanceHandoff(id, holder, "threaded", { conversation });
    expect(await this.bind(id, holder, conversation)).toBe(true);
    return id;
  }

  /** A session with a handoff that is bound in a thread, and the gateway that carries it. */
  async boundHandoff(): Promise<{ readonly id: SessionId; readonly handoff: HandoffId; readonly gateway: Holder }> {
    const { id } = await this.session();
    const gateway = this.process("gateway");
    return { id, gateway, handoff: await this.bound(id, gateway) };
  }

  bind(id: HandoffId, holder: Holder, conversation = THREAD, store = this.store, pass?: BindHandoff["pass"]) {
    return store.handoffs.bindHandoff({
      id,
      holder,
      key: buildSessionKey(conversation),
      conversation,
      mirrors: false,
      pass,
      message: { role: "user", text: "The session came from the terminal." },
      outbox: [entry("notice", conversation)],
    });
  }

  /** Stores the answer of a handoff. */
  async answeredHandoff(sessionId: SessionId, id: HandoffId, holder: Holder, at = THREAD): Promise<void> {
    const begin = { ...handoffTurn(id, holder), surface: buildSessionKey(at) };
    const said = "Here is where things stand.";
    const outbox = [{ ...entry(said, at), handoffId: id }];
    await this.finish(await this.granted(sessionId, begin), said, { outbox });
  }

  /** The row that a lane sends next. Throws where there is none. */
  async head(key = HOME_KEY): Promise<OutboxRow> {
    const row = await this.store.outbox.head(key);
    if (!row) throw new Error("the lane is empty");
    return row;
  }

  /** Begins to send the head of a lane, in `pieces` or in one. */
  async begin(holder: Holder, key = HOME_KEY, pieces?: readonly [Piece, ...Piece[]]): Promise<OutboxRow> {
    const { id, message } = await this.head(key);
    const row = await this.store.outbox.beginSend(id, holder, pieces ?? [{ text: message.markdown }]);
    if (!row) throw new Error("the head of the lane cannot be sent");
    return row;
  }

  /** Sends everything that waits in a lane, each message in one piece or in `pieces`. Returns the texts, in order. */
  async drain(key: SessionKey, holder: Holder, pieces?: readonly [Piece, ...Piece[]]): Promise<string[]> {
    const sent: string[] = [];
    for (;;) {
      const head = await this.store.outbox.head(key);
      if (!head) return sent;
      const row = await this.store.outbox.beginSend(head.id, holder, pieces ?? [{ text: head.message.markdown }]);
      if (row === null) {
        if ((await this.store.outbox.head(key))?.id === head.id) throw new Error("the head of the lane cannot be sent");
        continue;
      }
      sent.push(row.piece?.text ?? "");
      const receipt = { messageId: `sent-${row.id}`, sentAt: this.clock.now() };
      await this.store.outbox.settleSend(row.id, { kind: "sent", receipt });
    }
  }
}

/** The request fields that start a handoff's turn. */
export function handoffTurn(handoffId: HandoffId, holder: Holder): Partial<StartTurn> {
  return { holder, cause: { kind: "handoff", handoffId }, surface: THREAD_KEY, message: null };
}

export function entry(markdown: string, conversation = HOME): NewOutboxEntry {
  return { key: buildSessionKey(conversation), conversation, message: { kind: "answer", markdown } };
}

export interface StoreTest {
  /** A test with a store of its own. */
  (name: string, body: (kit: Kit) => Promise<void>): void;
  /** The same with a session in it that began in the terminal. */
  inSession(name: string, body: (kit: Kit, id: SessionId) => Promise<void>): void;
  /** The same with a gateway that serves the platform. */
  withGateway(name: string, body: (kit: Kit, gateway: Holder) => Promise<void>): void;
}

export function storeTest(create: CreateStore): StoreTest {
  const test = (name: string, body: (kit: Kit) => Promise<void>) =>
    it(name, async () => {
      const kit = await Kit.open(create);
      try {
        await body(kit);
      } finally {
        await kit.dispose();
      }
    });
  return Object.assign(test, {
    inSession: (name: string, body: (kit: Kit, id: SessionId) => Promise<void>) =>
      test(name, async (kit) => body(kit, (await kit.session()).id)),
    withGateway: (name: string, body: (kit: Kit, gateway: Holder) => Promise<void>) =>
      test(name, async (kit) => body(kit, await kit.gateway())),
  });
}

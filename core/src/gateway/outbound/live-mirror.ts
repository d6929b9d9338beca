import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { Conversation } from "../../adapter/conversation.ts";
import type { SaidElsewhere } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Holder } from "../../base/process-identity.ts";
import { regularly } from "../../base/regularly.ts";
import { CLOCK, HOLDER, LOGGER } from "../../base/tokens.ts";
import { guestAt, readersOf } from "../../handoff/session-readers.ts";
import { withReadableMarks } from "../../model/mark.ts";
import type { SessionId } from "../../model/session.ts";
import type { Turn, TurnId } from "../../model/turn.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import { STORE, type Store } from "../../store/store.ts";
import { VIEW_LEASE_MS } from "../../store/view-store.ts";
import { ADAPTER } from "../account/account.ts";
import { ChatReaders } from "../account/chat-readers.ts";
import { LiveCalls } from "./live-calls.ts";

/** Milliseconds between two looks where nothing is written: who begins to watch tells nobody. */
const LOOK_EVERY_MS = 1_000;

/** Milliseconds between two times that it is said that somebody watches. */
const SAY_EVERY_MS = VIEW_LEASE_MS / 3;

interface Watched {
  readonly conversation: Conversation;
  readonly sessionId: SessionId;
  readonly saidAt: number;
  /** What is shown, as JSON, to tell whether it has changed. */
  readonly shown: string;
}

/** Who is shown to read a session, as JSON, and when that was looked up: the time, and after how many changes. */
interface ShownReaders {
  readonly sessionId: SessionId | null;
  readonly shown: string;
  readonly at: number;
  readonly changes: number;
}

/**
 * Shows, where an adapter says that somebody looks, what is being said elsewhere in the session there: as it grows, until
 * it is stored and sent. Keeps the view by which whoever runs the turn knows that it is read.
 */
@scoped(Lifecycle.ContainerScoped)
export class LiveMirror implements AsyncDisposable {
  readonly #watched = new Map<SessionKey, Watched>();
  readonly #readers = new Map<SessionKey, ShownReaders>();
  readonly #watching: Disposable;
  #asked: { readonly turnId: TurnId; readonly text: string } | null = null;
  readonly #timer: Disposable;
  #looking: Promise<void> | null = null;
  /** How many times the store has said that it changed. */
  #changes = 0;
  #isDue = false;
  #isOver = false;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(HOLDER) readonly holder: Holder,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ChatReaders) readonly readers: Pick<ChatReaders, "mayRead">,
    @inject(LiveCalls) readonly calls: Pick<LiveCalls, "lookAt" | "leave" | "hide">,
  ) {
    this.#watching = store.watch(() => {
      this.#changes++;
      this.#look();
    });
    this.#timer = regularly(clock, LOOK_EVERY_MS, () => this.#look());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#watching[Symbol.dispose]();
    this.#timer[Symbol.dispose]();
    await this.#looking;
    await Promise.all([...this.#watched.keys()].map((key) => this.store.views.close(this.holder, key)));
  }

  /** Looks once more after a look that runs. */
  #look(): void {
    if (this.#isOver) return;
    if (this.#watched.size === 0 && this.#lookedAt().size === 0) return;
    if (this.#looking !== null) {
      this.#isDue = true;
      return;
    }
    this.#isDue = false;
    this.#looking = this.#lookAtAll()
      .catch((error: unknown) => {
        // The next change of the store, or the next second, looks again.
        this.logger.debug({ reason: reasonOf(error) }, "what grows elsewhere could not be shown");
      })
      .finally(() => {
        this.#looking = null;
        if (this.#isDue) this.#look();
      });
  }

  #lookedAt(): Map<SessionKey, Conversation> {
    const conversations = this.adapter.watched?.() ?? [];
    return new Map(conversations.map((one) => [this.adapter.buildSessionKey(one), one]));
  }

  async #lookAtAll(): Promise<void> {
    const { store } = this;
    const lookedAt = this.#lookedAt();
    for (const [key, { conversation }] of this.#watched) {
      if (lookedAt.has(key)) continue;
      this.calls.leave(key);
      await this.#leave(key, conversation);
    }
    for (const key of this.#readers.keys()) if (!lookedAt.has(key)) this.#readers.delete(key);
    for (const [key, conversation] of lookedAt) {
      const binding = await store.bindings.get(key);
      const mayRead = binding !== null && (await this.readers.mayRead(binding)) === true;
      await this.#lookForReaders(key, conversation, mayRead ? binding.sessionId : null);
      if (mayRead) await this.#lookAt(key, conversation, binding.sessionId);
      else {
        this.calls.hide({ key, conversation });
        if (this.#watched.has(key)) await this.#leave(key, conversation);
      }
    }
  }

  /** Nobody looks there any more, or may read what was shown. */
  async #leave(key: SessionKey, conversation: Conversation): Promise<void> {
    this.#watched.delete(key);
    this.adapter.showGrowing?.(conversation, null);
    await this.store.views.close(this.holder, key);
  }

  async #lookAt(key: SessionKey, conversation: Conversation, sessionId: SessionId): Promise<void> {
    const { store, holder, adapter, clock } = this;
    const known = this.#watched.get(key);
    const now = clock.steady().ms;
    const isSaid = known?.sessionId === sessionId && now - known.saidAt < SAY_EVERY_MS;
    if (!isSaid) await store.views.keep({ sessionId, holder, surface: key, restedMs: 0, leaseMs: VIEW_LEASE_MS });
    const growing = await store.turns.growing(sessionId);
    const isElsewhere = growing !== null && growing.turn.surface !== key;
    const said = isElsewhere ? await this.#saidOf(growing.turn, growing.text ?? "") : null;
    const shown = JSON.stringify(said);
    this.#watched.set(key, { conversation, sessionId, saidAt: isSaid ? known.saidAt : now, shown });
    if (shown !== (known?.shown ?? "null")) adapter.showGrowing?.(conversation, said);
    await this.calls.lookAt({ key, conversation, sessionId }, growing?.turn.id ?? null);
  }

  /** Once a second at most: an answer that grows changes the store many times in one. */
  async #lookForReaders(key: SessionKey, conversation: Conversation, sessionId: SessionId | null): Promise<void> {
    const { adapter, clock } = this;
    if (!adapter.showReaders) return;
    const known = this.#readers.get(key);
    const at = clock.steady().ms;
    const changes = this.#changes;
    const isSame = known?.sessionId === sessionId;
    if (isSame && (known.changes === changes || at - known.at < LOOK_EVERY_MS)) return;
    const readers = sessionId === null ? [] : await this.#readersBeside(key, sessionId);
    const shown = JSON.stringify(readers);
    this.#readers.set(key, { sessionId, shown, at, changes });
    if (shown !== known?.shown) adapter.showReaders(conversation, readers);
  }

  /** Who reads a session besides those in the conversation `key`. A guest is told nothing of other places. */
  async #readersBeside(key: SessionKey, sessionId: SessionId): Promise<string[]> {
    if ((await guestAt(this.store, { key, sessionId })) !== null) return [];
    const readers = await readersOf(this.store, sessionId);
    return readers.filter((one) => one.place !== key).map(({ text }) => text);
  }

  async #saidOf(turn: Turn, text: string): Promise<SaidElsewhere> {
    if (this.#asked?.turnId !== turn.id) {
      const messages = await this.store.transcripts.read(turn.sessionId, { limit: 50 });
      const asked = messages.find(({ turnId, role, internal }) => turnId === turn.id && role === "user" && !internal);
      this.#asked = { turnId: turn.id, text: withReadableMarks(asked?.text ?? "") };
    }
    return { place: await lookUpPlace(this.store, turn.surface), asked: this.#asked.text, text };
  }
}

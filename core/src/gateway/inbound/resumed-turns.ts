import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { buildSessionKey, type SessionKey } from "../../adapter/session-key.ts";
import type { Clock } from "../../base/clock.ts";
import { Coalesced } from "../../base/coalesced.ts";
import { asHermesError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { regularly } from "../../base/regularly.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import type { Approval } from "../../model/approval.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import type { Turn, TurnId } from "../../model/turn.ts";
import { currentRights, isStranger } from "../../store/current-rights.ts";
import { offerUndelivered } from "../../store/offer-undelivered.ts";
import { STORE, type Store } from "../../store/store.ts";
import { TURN_RUNNER, type TurnResult, type TurnRunner } from "../../turn/turn-runner.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { ChatReaders } from "../account/chat-readers.ts";
import { type TurnPresentation, TurnPresenter } from "../outbound/turn-presenter.ts";
import { type TurnPlace, turnPlace } from "../turn-place.ts";
import { resumedAnswer } from "./resumed-answer.ts";
import { RunningTurns } from "./running-turns.ts";
import { leavesFor, sessionOf } from "./turn-answer.ts";

/** Milliseconds between two looks: a question that expires, or a process that dies, notifies nobody. */
const LOOK_EVERY_MS = 2_000;

/** Most milliseconds between a change of the store and the look that covers it. */
const LOOK_AFTER_MS = 100;

/** The lanes in which turns are gone on with. */
export interface TurnLanes {
  atHead<T>(key: SessionKey, work: () => Promise<T>): Promise<T>;
  /** Aborts with LEAVING when this process ends. */
  readonly signal: AbortSignal;
}

/** Goes on with the turns of a platform account that waited for people, once they have decided, each in its lane. */
@scoped(Lifecycle.ContainerScoped)
export class ResumedTurns {
  readonly #going = new Map<TurnId, Promise<void>>();
  readonly #looks = new Coalesced(() => this.#look());
  #lanes: TurnLanes | null = null;
  #watching: Disposable | null = null;
  #timer: Disposable | null = null;
  #soonTimer: Disposable | null = null;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(TURN_RUNNER) readonly runner: TurnRunner,
    @inject(TurnPresenter) readonly presenter: TurnPresenter,
    @inject(RunningTurns) readonly running: RunningTurns,
    @inject(ChatReaders) readonly readers: ChatReaders,
  ) {}

  /** Begins to look: at once, when the store changes, and every two seconds. */
  open(lanes: TurnLanes): void {
    if (this.#lanes !== null) return;
    this.#lanes = lanes;
    this.#watching = this.store.watch(() => this.#soon(), ["turns", "approvals", "asks"]);
    this.wake();
    this.#timer = regularly(this.clock, LOOK_EVERY_MS, () => this.wake());
  }

  wake(): void {
    if (this.#lanes !== null) void this.#looks.run();
  }

  /** Takes up no more turns, and resolves when those that run have ended. */
  async close(): Promise<void> {
    this.#lanes = null;
    this.#watching?.[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    this.#soonTimer?.[Symbol.dispose]();
    await this.#looks.idle();
    await Promise.all(this.#going.values());
  }

  /** Many changes share one look. */
  #soon(): void {
    this.#soonTimer ??= this.clock.setTimer(LOOK_AFTER_MS, () => {
      this.#soonTimer = null;
      this.wake();
    });
  }

  async #look(): Promise<void> {
    const { store, adapter, account, logger } = this;
    try {
      const turns = await store.turns.resumable({ platform: adapter.platform, account: account.account });
      for (const turn of turns) this.#take(turn);
    } catch (error) {
      logger.warn({ error }, "the turns that can go on could not be read");
    }
  }

  #take(turn: Turn): void {
    const lanes = this.#lanes;
    if (lanes === null || this.#going.has(turn.id) || turn.surface === "terminal") return;
    const going = lanes
      .atHead(turn.surface, async () => {
        // A process that drains leaves it to the next one.
        if (this.#lanes !== null) await this.#goOn(turn, lanes.signal);
      })
      .catch((error: unknown) => this.#failed(turn, error, lanes.signal))
      .finally(() => this.#going.delete(turn.id));
    this.#going.set(turn.id, going);
  }

  #failed({ id }: Turn, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (asHermesError(error).code === "TURN_SUPERSEDED") {
      this.logger.warn({ turn: id }, "another process took a turn over");
    } else {
      this.logger.error({ turn: id, error }, "a turn could not be gone on with; it is tried again");
    }
  }

  async #goOn(turn: Turn, signal: AbortSignal): Promise<void> {
    const { runner, logger } = this;
    const { id: turnId } = turn;
    let place: TurnPlace | null = null;
    let shown: TurnPresentation | null = null;
    using running = this.running.open();
    try {
      const outcome = await runner.resume({
        turnId,
        signal,
        onEvent: async (event) => {
          if (event.type === "started") {
            running.begin(event.turn);
            place = await turnPlace(this.store.bindings, event.turn);
            shown = place && (await this.#present(place));
          }
          shown?.onEvent(event);
        },
        isStillWanted: async () => !(await this.#isRevoked(turn)),
        said: () => running.said(),
        compose: async (result) => {
          await shown?.close();
          return place === null ? [] : this.#entries(result, place);
        },
      });
      if (outcome.state === "refused") logger.debug({ turn: turnId, reason: outcome.reason }, "a turn does not go on");
    } finally {
      await (shown as TurnPresentation | null)?.close();
    }
  }

  /** Whether whoever asked for a turn may not do so any more, or not read its session in their private chat. */
  async #isRevoked({ author, surface, sessionId }: Turn): Promise<boolean> {
    if (await isStranger(this.store, author)) return true;
    if (author === null || author === "terminal" || surface === "terminal") return false;
    const { conversation } = author;
    if (conversation.kind !== "dm" || buildSessionKey(conversation) !== surface) return false;
    return (await this.readers.mayReadAs(author, { key: surface, conversation, sessionId })) === false;
  }

  /** Shows the turn as a new message, if its place is one of this account. */
  async #present(place: TurnPlace): Promise<TurnPresentation | null> {
    const { store, adapter, account, presenter } = this;
    const { platform, account: at } = place.conversation;
    if (platform !== adapter.platform || at !== account.account) return null;
    await offerUndelivered(store, place);
    return presenter.present(place);
  }

  async #entries(result: TurnResult, place: TurnPlace): Promise<NewOutboxEntry[]> {
    const { store, adapter } = this;
    const { turn } = result;
    const session = place.isBound ? null : await store.sessions.get(turn.sessionId);
    const message = resumedAnswer(result, {
      typed: (command) => adapter.typedCommand(command, place.conversation),
      isOperator: (await currentRights(store, turn.author)).mayDo("operators-command").ok,
      leavesFor: await leavesFor(store, result),
      session,
      decided: await this.#untold(turn),
    });
    const { key, conversation } = place;
    return message === null ? [] : [{ key, conversation, message, sessionId: sessionOf(result), turnId: turn.id }];
  }

  /** The questions that do not show themselves what became of them: those of the turn's last step. */
  async #untold({ id }: Turn): Promise<readonly Approval[]> {
    const { store, adapter, presenter } = this;
    if (adapter.edit && !presenter.delivery.leftOpen(id)) return [];
    const approvals = await store.approvals.ofTurn(id);
    const stepOf = ({ callId }: Approval) => callId.split(".")[0];
    const last = approvals.at(-1);
    return last === undefined ? [] : approvals.filter((approval) => stepOf(approval) === stepOf(last));
  }
}

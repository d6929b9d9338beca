import type { Agent, AgentEvent, RequestSize } from "../agent/agent.ts";
import type { CountedUsage } from "../agent/counting-agent.ts";
import { asHermesError, HermesError } from "../base/errors.ts";
import type { Compaction, NewCompaction } from "../model/compaction.ts";
import type { Session } from "../model/session.ts";
import { mostTokensOf, tokensOf } from "../model/tokens.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { Turn } from "../model/turn.ts";
import { type LastUsage, sentTokens } from "../model/usage.ts";
import type { KeptState } from "../model/work-state.ts";
import { Compactor } from "./compactor.ts";
import { cutLongest, hasFiles, shortenOldResults, squeezed, withoutFiles } from "./fitted.ts";
import { guestsQuoted } from "./guests-quoted.ts";
import { ModelWindow } from "./model-window.ts";
import { requestLast } from "./request-last.ts";
import { stepsBehind } from "./steps.ts";
import type { TurnTranscript } from "./turn-transcript.ts";

/** How many steps there have to be between two compactions that nobody asked for. */
const STEPS_BETWEEN = 5;

/** The share of the window up to which it is the files of a request that are too long, and not its words. */
const FEW_WORDS = 0.5;

/** How often a turn tries. */
const TRIES = 2;

/** UTF-16 units of rows behind a compaction up to which shortening alone may do: all of them are read for each turn. */
const MOST_ROWS = 4_000_000;

export interface ContextParts {
  readonly agent: Agent;
  readonly session: Session;
  readonly turn: Turn;
  readonly transcript: TurnTranscript;
  /** The seq of the message that the turn answers; null where it answers none. */
  readonly requestSeq: number | null;
  readonly signal: AbortSignal;
  now(): number;
  /** Tokens that a model reads at most. */
  windowOf(model: string): number;
  /** Takes how many of them its provider said that it reads. */
  learnWindow(model: string, tokens: number): void;
  /** Where the work stands, as a model said it before. */
  keptState(): Promise<KeptState | null>;
  /** What the provider counted of the session's last message. */
  lastUsage(): Promise<LastUsage | null>;
  /** Takes what a request for a summary used. */
  used(counted: CountedUsage | null): Promise<void>;
  /** Keeps a compaction, with the turn's fence. */
  store(compaction: NewCompaction): Promise<Compaction>;
  onEvent?(event: ContextEvent): void | Promise<void>;
}

export type ContextEvent =
  | Extract<AgentEvent, { type: "waiting" | "fallback" }>
  /** A model sums the beginning of the session up. */
  | { readonly type: "compacting" }
  | { readonly type: "compacted"; readonly compaction: Compaction };

type Messages = readonly TranscriptMessage[];

/** What a turn sends to its model: the transcript, made to fit into the model's window. */
export class TurnContext {
  readonly #parts: ContextParts;
  readonly #window: ModelWindow;
  readonly #compactor: Compactor;
  #failures = 0;
  /** The provider said that it was too long: that is answered by a compaction once, and then by shortening. */
  #wasFull = false;
  /** The files of people are only named: with them, the provider found it too long. */
  #isWithoutFiles = false;
  #isCounted = false;

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.#window = new ModelWindow(parts, parts.agent.modelOf(parts.session));
    this.#compactor = new Compactor(parts, this.#window);
  }

  /** The transcript as the turn reads it: from the newest compaction on, what guests wrote quoted. */
  async read(): Promise<Messages> {
    const { transcript, session, turn, requestSeq } = this.#parts;
    const messages = await transcript.read();
    return guestsQuoted(requestSeq === null ? messages : requestLast(messages, requestSeq), session, turn.id);
  }

  /** What is sent: compacted before that where it fills the window. Throws COMPACTION_FAILED. */
  async fit(given: Messages): Promise<Messages> {
    const { transcript } = this.#parts;
    const messages = this.#sendable(given);
    const window = this.#window;
    const cut = cutLongest(messages, window.tokens);
    await this.#countLast(messages);
    if (mostTokensOf(cut) * window.scale < window.full || window.tokensOf(cut) < window.full) return cut;
    const shortened = shortenOldResults(cut);
    const rowsLength = transcript.rows.reduce((sum, { text }) => sum + text.length, 0);
    if (rowsLength < MOST_ROWS && window.tokensOf(shortened) < window.full) return shortened;
    if (this.#mayCompact()) {
      try {
        await this.compact(null);
        return this.#squeeze(cutLongest(this.#sendable(await this.read()), this.#window.tokens));
      } catch (thrown) {
        this.#failed(thrown);
      }
    }
    return this.#squeeze(cut);
  }

  /** What a request takes, and the window that it was made for. Counted when it is asked for: mostly nobody does. */
  sizeOf(messages: Messages): RequestSize {
    const count = () => this.#window.tokensOf(messages);
    return {
      get tokens() {
        return count();
      },
      window: this.#window.tokens,
    };
  }

  /** Takes which model has answered: the turn goes on with that one. */
  answeredBy(model: string): void {
    this.#window.answeredBy(model);
  }

  /** Takes what the provider counted of a request. */
  counted(sent: Messages, tokens: number): void {
    this.#window.counted(sent, tokens);
  }

  /** What is sent instead of what `error` says is too long; null where nothing is left to try. */
  async fitAgain(messages: Messages, error: HermesError): Promise<Messages | null> {
    let isAgain = false;
    if (!this.#window.isSmaller(error)) {
      isAgain = this.#wasFull;
      if ((isAgain || tokensOf(messages) < this.#window.tokens * FEW_WORDS) && hasFiles(messages)) {
        return this.#leaveFilesOut(messages);
      }
      this.#wasFull = true;
      // Whatever is known of the model, it reads less than that.
      this.#window.lower(this.#window.tokensOf(messages) * (isAgain ? 0.5 : 0.9));
    }
    while (!isAgain && this.#compactor.whyNot() === null) {
      try {
        await this.compact(null);
        break;
      } catch (thrown) {
        // What its summary does not free, shortening does.
        if (asHermesError(thrown).code === "COMPACTION_FAILED") break;
        this.#failed(thrown);
      }
    }
    const fitted = this.#squeeze(cutLongest(this.#sendable(await this.read()), this.#window.tokens));
    return tokensOf(fitted) < tokensOf(messages) ? fitted : this.#leaveFilesOut(messages);
  }

  /** Takes what the provider counted of the last request before the turn: less than the estimate tells nothing. */
  async #countLast(messages: Messages): Promise<void> {
    if (this.#isCounted) return;
    this.#isCounted = true;
    if (!this.#window.isTelling(mostTokensOf(messages))) return;
    const last = await this.#parts.lastUsage();
    const { compaction } = this.#parts.transcript;
    if (last === null || last.isEstimated || last.seq <= (compaction?.toldAt ?? 0)) return;
    const sent = messages.filter(({ seq }) => seq < last.seq);
    this.#window.counted(sent, sentTokens(last), 1);
  }

  /** Has the beginning summed up. Throws COMPACTION_NOTHING, COMPACTION_FAILED, and what the model throws. */
  async compact(focus: string | null): Promise<Compaction> {
    const compaction = await this.#compactor.compact(await this.read(), focus);
    this.#failures = 0;
    await this.#parts.onEvent?.({ type: "compacted", compaction });
    return compaction;
  }

  /** Whether a compaction that nobody asked for is due. */
  #mayCompact(): boolean {
    const { compaction, rows } = this.#parts.transcript;
    const isSoon = compaction !== null && stepsBehind(rows, compaction.toldAt) < STEPS_BETWEEN;
    return !isSoon && this.#compactor.whyNot() === null;
  }

  #failed(thrown: unknown): void {
    this.#parts.signal.throwIfAborted();
    const error = asHermesError(thrown);
    if (error.code === "TURN_SUPERSEDED" || error.code.startsWith("STORE_")) throw error;
    this.#failures += 1;
    if (this.#failures < TRIES) return;
    if (error.code === "COMPACTION_FAILED") throw error;
    throw new HermesError("COMPACTION_FAILED", { model: this.#window.model, reason: error.message });
  }

  /** Null where there are none. */
  #leaveFilesOut(messages: Messages): Messages | null {
    if (!hasFiles(messages)) return null;
    this.#isWithoutFiles = true;
    return withoutFiles(messages);
  }

  #sendable(messages: Messages): Messages {
    return this.#isWithoutFiles ? withoutFiles(messages) : messages;
  }

  #squeeze(messages: Messages): Messages {
    const { turn } = this.#parts;
    const { full, scale } = this.#window;
    return squeezed(messages, full / scale, ({ turnId, role }) => turnId === turn.id && role === "user");
  }
}

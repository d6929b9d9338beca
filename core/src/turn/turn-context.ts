import type { Agent, AgentEvent, RequestSize } from "../agent/agent.ts";
import { type CountedUsage, countedUsage } from "../agent/counting-agent.ts";
import { OFFLINE } from "../agent/offline-agent.ts";
import { asHermesError, HermesError } from "../base/errors.ts";
import { type Compaction, compactionText, type NewCompaction } from "../model/compaction.ts";
import type { Session } from "../model/session.ts";
import { estimateTokens, mostTokensOf, tokensOf } from "../model/tokens.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { Turn } from "../model/turn.ts";
import { type LastUsage, sentTokens } from "../model/usage.ts";
import type { KeptState } from "../model/work-state.ts";
import { compactedFacts } from "./compacted-facts.ts";
import { cutLongest, hasFiles, shortenOldResults, squeezed, withoutFiles } from "./fitted.ts";
import { guestsQuoted } from "./guests-quoted.ts";
import { requestLast } from "./request-last.ts";
import { lastToCompact, stepsBehind } from "./steps.ts";
import { type Summary, summarise } from "./summarise.ts";
import type { TurnTranscript } from "./turn-transcript.ts";

/** The share of a window at which a session is compacted by itself, and up to which other means are taken to suffice. */
const FULL = 0.8;

/** The share of what is sent that a compaction has to free. */
const LEAST_FREED = 0.3;

/** How many steps there have to be between two compactions that nobody asked for. */
const STEPS_BETWEEN = 5;

/** The share of the window from which on a provider's count tells how its tokens compare to the estimate. */
const TELLING = 0.1;

/** The share of the window up to which it is the files of a request that are too long, and not its words. */
const FEW_WORDS = 0.5;

/** Tokens that every model is taken to read: no request is made shorter than for that. */
const LEAST_WINDOW = 1_000;

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
  /** The model that is asked: another one where the session's does not answer. */
  #model: string;
  /** What it reads. */
  #window: number;
  #failures = 0;
  /** The provider said that it was too long: that is answered by a compaction once, and then by shortening. */
  #wasFull = false;
  /** The files of people are only named: with them, the provider found it too long. */
  #isWithoutFiles = false;
  /** By how much the estimate of what was sent last fell short of what the provider counted. */
  #scale = 1;
  #isCounted = false;

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.#model = parts.agent.modelOf(parts.session);
    this.#window = parts.windowOf(this.#model);
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
    const cut = cutLongest(messages, this.#window);
    await this.#countLast(messages);
    if (mostTokensOf(cut) * this.#scale < this.#full() || this.#tokensOf(cut) < this.#full()) return cut;
    const shortened = shortenOldResults(cut);
    const rowsLength = transcript.rows.reduce((sum, { text }) => sum + text.length, 0);
    if (rowsLength < MOST_ROWS && this.#tokensOf(shortened) < this.#full()) return shortened;
    if (this.#mayCompact()) {
      try {
        await this.compact(null);
        return this.#squeeze(cutLongest(this.#sendable(await this.read()), this.#window));
      } catch (thrown) {
        this.#failed(thrown);
      }
    }
    return this.#squeeze(cut);
  }

  /** What a request takes, and the window that it was made for. Counted when it is asked for: mostly nobody does. */
  sizeOf(messages: Messages): RequestSize {
    const count = () => this.#tokensOf(messages);
    return {
      get tokens() {
        return count();
      },
      window: this.#window,
    };
  }

  /** Takes which model has answered: the turn goes on with that one. */
  answeredBy(model: string): void {
    this.#model = model;
    this.#window = Math.min(this.#window, this.#parts.windowOf(model));
  }

  /** What is sent instead of what `error` says is too long; null where nothing is left to try. */
  async fitAgain(messages: Messages, error: HermesError): Promise<Messages | null> {
    let isAgain = false;
    if (!this.#isSmaller(error)) {
      isAgain = this.#wasFull;
      if ((isAgain || tokensOf(messages) < this.#window * FEW_WORDS) && hasFiles(messages)) {
        return this.#leaveFilesOut(messages);
      }
      this.#wasFull = true;
      // Whatever is known of the model, it reads less than that.
      this.#lowerWindow(this.#tokensOf(messages) * (isAgain ? 0.5 : 0.9));
    }
    while (!isAgain && this.#whyNot() === null) {
      try {
        await this.compact(null);
        break;
      } catch (thrown) {
        // What its summary does not free, shortening does.
        if (asHermesError(thrown).code === "COMPACTION_FAILED") break;
        this.#failed(thrown);
      }
    }
    const fitted = this.#squeeze(cutLongest(this.#sendable(await this.read()), this.#window));
    return tokensOf(fitted) < tokensOf(messages) ? fitted : this.#leaveFilesOut(messages);
  }

  /** Takes what the provider counted of the last request before the turn: less than the estimate tells nothing. */
  async #countLast(messages: Messages): Promise<void> {
    if (this.#isCounted) return;
    this.#isCounted = true;
    if (mostTokensOf(messages) < this.#window * TELLING) return;
    const last = await this.#parts.lastUsage();
    const { compaction } = this.#parts.transcript;
    if (last === null || last.isEstimated || last.seq <= (compaction?.toldAt ?? 0)) return;
    this.counted(
      messages.filter(({ seq }) => seq < last.seq),
      sentTokens(last),
    );
    this.#scale = Math.max(1, this.#scale);
  }

  /** Takes what the provider counted of a request. */
  counted(sent: Messages, tokens: number): void {
    const estimated = tokensOf(sent);
    // Of little, the system prompt and the tools are the most.
    if (estimated < this.#window * TELLING) return;
    this.#scale = Math.min(4, Math.max(0.5, tokens / estimated));
  }

  /** Has the beginning summed up. Throws COMPACTION_NOTHING, COMPACTION_FAILED, and what the model throws. */
  async compact(focus: string | null): Promise<Compaction> {
    const { transcript, onEvent } = this.#parts;
    const messages = await this.read();
    const why = this.#whyNot();
    const upTo = transcript.rows[lastToCompact(transcript.rows)]?.seq;
    if (why !== null || upTo === undefined)
      throw new HermesError("COMPACTION_NOTHING", { reason: why ?? "it is empty" });
    await onEvent?.({ type: "compacting" });
    const made = await this.#make(messages, upTo, focus);
    const compaction = await this.#parts.store(made);
    transcript.compacted(compaction);
    this.#failures = 0;
    await onEvent?.({ type: "compacted", compaction });
    return compaction;
  }

  async #make(messages: Messages, upTo: number, focus: string | null): Promise<NewCompaction> {
    const { session, turn, transcript, now } = this.#parts;
    const rows = transcript.rows.filter(({ seq }) => seq <= upTo);
    // Whoever asks: what people wrote who may not use tools stays quoted.
    const quoted = guestsQuoted([...transcript.opening, ...rows], session, turn.id, { always: true });
    const summary = await this.#summarise(quoted, focus);
    const model = this.#model;
    const work = summary.work === null ? null : { ...summary.work, model, at: now() };
    const facts = compactedFacts({
      ...{ rows, work, requests: transcript.requests, window: this.#window },
      ...{ turnId: turn.cause.kind === "compact" ? null : turn.id },
      workBefore: await this.#parts.keptState(),
      before: transcript.compaction?.facts ?? null,
    });
    const stays = messages.filter(({ seq }) => seq > upTo || facts.requests.includes(seq));
    const before = this.#tokensOf(messages);
    const instead = estimateTokens(compactionText({ summary: summary.text, facts, work }));
    const after = Math.ceil(this.#tokensOf(stays) + instead * this.#scale);
    if (after > before * (1 - LEAST_FREED)) {
      throw new HermesError("COMPACTION_FAILED", { model, reason: "its summary freed too little" });
    }
    return {
      ...{ upTo, summary: summary.text, facts, work, messages: rows.length },
      ...{ tokensBefore: before, tokensAfter: after },
    };
  }

  /** Has a model sum messages up, in requests that it can read: shorter ones each time it refuses them as too long. */
  async #summarise(messages: Messages, focus: string | null): Promise<Summary> {
    for (;;) {
      try {
        return await summarise({ messages, focus, window: this.#window, ask: (text) => this.#ask(text) });
      } catch (error) {
        if (this.#isSmaller(error)) continue;
        if (!isFull(error) || this.#window <= LEAST_WINDOW) throw error;
        this.#lowerWindow(this.#window / 2);
      }
    }
  }

  /** Whether the model that found a request too long reads less than was known: from now on, requests are made for it. */
  #isSmaller(error: unknown): boolean {
    if (!isFull(error)) return false;
    const before = this.#window;
    const { model, window } = error.fields;
    if (typeof window === "number") this.#parts.learnWindow(String(model), Math.max(LEAST_WINDOW, window));
    this.answeredBy(String(model));
    return this.#window < before;
  }

  #lowerWindow(tokens: number): void {
    this.#window = Math.min(this.#window, Math.max(LEAST_WINDOW, Math.floor(tokens)));
  }

  async #ask(text: string): Promise<string> {
    const { agent, session, turn, signal, now, onEvent, used } = this.#parts;
    const request: TranscriptMessage = {
      // With its turn: a model that has failed in that is not asked once more.
      ...{ sessionId: session.id, seq: 1, turnId: turn.id, role: "user", text, internal: true, createdAt: now() },
    };
    let said = "";
    const messages = [request];
    const size = { tokens: tokensOf(messages), window: this.#window };
    for await (const event of agent.run({ session, messages, tools: [], mayCall: false, signal, size })) {
      if (event.type === "waiting" || event.type === "fallback") await onEvent?.(event);
      if (event.type === "message" || event.type === "spent") await used(countedUsage(event));
      if (event.type !== "message") continue;
      said = event.text;
      if (event.model !== undefined) this.answeredBy(event.model);
    }
    signal.throwIfAborted();
    return said;
  }

  /** Whether a compaction that nobody asked for is due. */
  #mayCompact(): boolean {
    const { compaction, rows } = this.#parts.transcript;
    const isSoon = compaction !== null && stepsBehind(rows, compaction.toldAt) < STEPS_BETWEEN;
    return !isSoon && this.#whyNot() === null;
  }

  /** Why a model is not asked to sum up: it could not free enough. Null where it is. */
  #whyNot(): string | null {
    const { opening, rows } = this.#parts.transcript;
    if (this.#isOffline()) return "no model is set that could do it";
    const last = lastToCompact(rows);
    if (last < 0) return "it is short as it is";
    const stays = tokensOf(rows.slice(last + 1));
    return stays > (tokensOf(opening) + tokensOf(rows)) * (1 - LEAST_FREED) ? "its last steps are most of it" : null;
  }

  #isOffline(): boolean {
    const { agent, session } = this.#parts;
    return agent.modelOf(session) === OFFLINE;
  }

  #failed(thrown: unknown): void {
    this.#parts.signal.throwIfAborted();
    const error = asHermesError(thrown);
    if (error.code === "TURN_SUPERSEDED" || error.code.startsWith("STORE_")) throw error;
    this.#failures += 1;
    if (this.#failures < TRIES) return;
    if (error.code === "COMPACTION_FAILED") throw error;
    throw new HermesError("COMPACTION_FAILED", { model: this.#model, reason: error.message });
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
    return squeezed(messages, this.#full() / this.#scale, ({ turnId, role }) => turnId === turn.id && role === "user");
  }

  #full(): number {
    return this.#window * FULL;
  }

  /** What the provider would count, as far as its last count tells; else an estimate. */
  #tokensOf(messages: Messages): number {
    return Math.ceil(tokensOf(messages) * this.#scale);
  }
}

function isFull(error: unknown): error is HermesError {
  return error instanceof HermesError && error.code === "AGENT_CONTEXT_FULL";
}

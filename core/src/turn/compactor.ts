import { countedUsage } from "../agent/counting-agent.ts";
import { HermesError } from "../base/errors.ts";
import { type Compaction, compactionText, type NewCompaction } from "../model/compaction.ts";
import { NO_MODEL } from "../model/model-choice.ts";
import { estimateTokens, tokensOf } from "../model/tokens.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import { compactedFacts } from "./compacted-facts.ts";
import { guestsQuoted } from "./guests-quoted.ts";
import { isFull, type ModelWindow } from "./model-window.ts";
import { lastToCompact } from "./steps.ts";
import { type Summary, summarise } from "./summarise.ts";
import type { ContextParts } from "./turn-context.ts";

/** The share of what is sent that a compaction has to free. */
const LEAST_FREED = 0.3;

type Messages = readonly TranscriptMessage[];

/** Has the model of a turn sum up the beginning of its session. */
export class Compactor {
  readonly #parts: ContextParts;
  readonly #window: ModelWindow;

  constructor(parts: ContextParts, window: ModelWindow) {
    this.#parts = parts;
    this.#window = window;
  }

  /** Why a model is not asked to: it could not free enough. Null where it is. */
  whyNot(): string | null {
    const { agent, session, transcript } = this.#parts;
    const { opening, rows } = transcript;
    if (agent.modelOf(session) === NO_MODEL) return "no model is set that could do it";
    const last = lastToCompact(rows);
    if (last < 0) return "it is short as it is";
    const stays = tokensOf(rows.slice(last + 1));
    return stays > (tokensOf(opening) + tokensOf(rows)) * (1 - LEAST_FREED) ? "its last steps are most of it" : null;
  }

  /** `messages` is what is sent without it. Throws COMPACTION_NOTHING, COMPACTION_FAILED, and what the model throws. */
  async compact(messages: Messages, focus: string | null): Promise<Compaction> {
    const { transcript, onEvent } = this.#parts;
    const why = this.whyNot();
    const upTo = transcript.rows[lastToCompact(transcript.rows)]?.seq;
    if (why !== null || upTo === undefined)
      throw new HermesError("COMPACTION_NOTHING", { reason: why ?? "it is empty" });
    await onEvent?.({ type: "compacting" });
    const compaction = await this.#parts.store(await this.#make(messages, upTo, focus));
    transcript.compacted(compaction);
    return compaction;
  }

  async #make(messages: Messages, upTo: number, focus: string | null): Promise<NewCompaction> {
    const { session, turn, transcript, now } = this.#parts;
    const rows = transcript.rows.filter(({ seq }) => seq <= upTo);
    // Whoever asks: what people wrote who may not use tools stays quoted.
    const quoted = guestsQuoted([...transcript.opening, ...rows], session, turn.id, { always: true });
    const summary = await this.#summarise(quoted, focus);
    const { model } = this.#window;
    const work = summary.work === null ? null : { ...summary.work, model, at: now() };
    const facts = compactedFacts({
      ...{ rows, work, requests: transcript.requests, window: this.#window.tokens },
      ...{ turnId: turn.cause.kind === "compact" ? null : turn.id },
      workBefore: await this.#parts.keptState(),
      before: transcript.compaction?.facts ?? null,
    });
    const stays = messages.filter(({ seq }) => seq > upTo || facts.requests.includes(seq));
    const before = this.#window.tokensOf(messages);
    const instead = estimateTokens(compactionText({ summary: summary.text, facts, work }));
    const after = Math.ceil(this.#window.tokensOf(stays) + instead * this.#window.scale);
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
        return await summarise({ messages, focus, window: this.#window.tokens, ask: (text) => this.#ask(text) });
      } catch (error) {
        if (this.#window.isSmaller(error)) continue;
        if (!isFull(error) || this.#window.isLeast) throw error;
        this.#window.lower(this.#window.tokens / 2);
      }
    }
  }

  async #ask(text: string): Promise<string> {
    const { agent, session, turn, signal, now, onEvent, used } = this.#parts;
    const request: TranscriptMessage = {
      // With its turn: a model that has failed in that is not asked once more.
      ...{ sessionId: session.id, seq: 1, turnId: turn.id, role: "user", text, internal: true, createdAt: now() },
    };
    let said = "";
    const messages = [request];
    const size = { tokens: tokensOf(messages), window: this.#window.tokens };
    for await (const event of agent.run({ session, messages, tools: [], mayCall: false, signal, size })) {
      if (event.type === "waiting" || event.type === "fallback") await onEvent?.(event);
      if (event.type === "message" || event.type === "spent") await used(countedUsage(event));
      if (event.type !== "message") continue;
      said = event.text;
      if (event.model !== undefined) this.#window.answeredBy(event.model);
    }
    signal.throwIfAborted();
    return said;
  }
}

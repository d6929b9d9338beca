import { HermesError } from "../base/errors.ts";
import { tokensOf } from "../model/tokens.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { ContextParts } from "./turn-context.ts";

/** The share of a window at which a session is compacted by itself, and up to which other means are taken to suffice. */
const FULL = 0.8;

/** The share of the window from which on a provider's count tells how its tokens compare to the estimate. */
const TELLING = 0.1;

/** Tokens that every model is taken to read: no request is made shorter than for that. */
const LEAST_WINDOW = 1_000;

type Messages = readonly TranscriptMessage[];

/** What is known of the model that a turn asks: how much it reads, and what its provider would count. */
export class ModelWindow {
  readonly #parts: Pick<ContextParts, "windowOf" | "learnWindow">;
  /** Another one where the session's does not answer. */
  #model: string;
  #tokens: number;
  #scale = 1;

  constructor(parts: Pick<ContextParts, "windowOf" | "learnWindow">, model: string) {
    this.#parts = parts;
    this.#model = model;
    this.#tokens = parts.windowOf(model);
  }

  get model(): string {
    return this.#model;
  }

  /** Tokens that it reads. */
  get tokens(): number {
    return this.#tokens;
  }

  /** By how much the estimate of what was sent last fell short of what the provider counted. */
  get scale(): number {
    return this.#scale;
  }

  /** Tokens that fill it. */
  get full(): number {
    return this.#tokens * FULL;
  }

  /** No request is made for a smaller one. */
  get isLeast(): boolean {
    return this.#tokens <= LEAST_WINDOW;
  }

  /** What the provider would count, as far as its last count tells; else an estimate. */
  tokensOf(messages: Messages): number {
    return Math.ceil(tokensOf(messages) * this.#scale);
  }

  /** Whether the count of so many tokens tells anything: of little, the system prompt and the tools are the most. */
  isTelling(estimated: number): boolean {
    return estimated >= this.#tokens * TELLING;
  }

  /** Takes what the provider counted of a request. `least` is the least that the scale becomes by it. */
  counted(sent: Messages, tokens: number, least = 0.5): void {
    const estimated = tokensOf(sent);
    if (this.isTelling(estimated)) this.#scale = Math.min(4, Math.max(least, tokens / estimated));
  }

  /** Takes which model has answered: the turn goes on with that one. */
  answeredBy(model: string): void {
    this.#model = model;
    this.#tokens = Math.min(this.#tokens, this.#parts.windowOf(model));
  }

  /** Whether the model that found a request too long reads less than was known: from now on, requests are made for it. */
  isSmaller(error: unknown): boolean {
    if (!isFull(error)) return false;
    const before = this.#tokens;
    const { model, window } = error.fields;
    if (typeof window === "number") this.#parts.learnWindow(String(model), Math.max(LEAST_WINDOW, window));
    this.answeredBy(String(model));
    return this.#tokens < before;
  }

  lower(tokens: number): void {
    this.#tokens = Math.min(this.#tokens, Math.max(LEAST_WINDOW, Math.floor(tokens)));
  }
}

/** Whether a provider found a request too long. */
export function isFull(error: unknown): error is HermesError {
  return error instanceof HermesError && error.code === "AGENT_CONTEXT_FULL";
}

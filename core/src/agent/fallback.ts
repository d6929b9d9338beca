import { HermesError } from "../base/errors.ts";
import { RecentMap } from "../base/recent-map.ts";
import type { TurnId } from "../model/turn.ts";
import type { AgentEvent, AgentRequest } from "./agent.ts";
import type { ModelHealth } from "./model-health.ts";

/** Of which failures another model is asked, and what is said of the one that failed. */
const FALLS_BACK: Readonly<Record<string, string>> = {
  AGENT_KEY_MISSING: "has no key",
  AGENT_KEY_REFUSED: "is not given: its key is refused",
  AGENT_MODEL_GONE: "is gone",
  AGENT_LIMITED: "takes no more requests for now",
  AGENT_OVERLOADED: "is overloaded",
  AGENT_STALLED: "sends nothing",
  AGENT_UNREACHABLE: "cannot be reached",
  AGENT_REDIRECTED: "is not asked: its server redirects elsewhere",
};

/** Why a model did not answer, where another one may: `is overloaded`. Null where it would fare no better. */
function whyFallBack({ code }: HermesError): string | null {
  return Object.hasOwn(FALLS_BACK, code) ? (FALLS_BACK[code] ?? null) : null;
}

/** As many turns are remembered: more do not run at once. */
const TURNS = 200;

/** The share of its window that a model may be sent which stands in for one that reads more. */
const FITS = 0.8;

/** What is known of one turn. */
class TurnSoFar {
  /** The models that are not asked again in it. */
  failures: readonly Failure[] = [];
  /** The models of which it was said that they answer. */
  readonly told = new Set<string>();

  /** Those of `models` that are worth asking; all where all have failed. */
  left(models: readonly string[]): readonly string[] {
    const left = models.filter((model) => !this.failures.some((failure) => failure.model === model));
    if (left.length > 0) return left;
    this.failures = [];
    return models;
  }
}

export interface Fallback {
  /** The models to ask, in this order, where the session's does not answer. */
  readonly models: readonly string[];
  readonly health: Pick<ModelHealth, "failed" | "answered"> | null;
  /** Tokens that a model reads at most. */
  windowOf(model: string): number;
  /** Asks one model for one message. */
  ask(model: string, request: AgentRequest): AsyncIterable<AgentEvent>;
}

/** Asks models one after the other, until one answers; none once something was said. */
export class FallingBack {
  readonly #turns = new RecentMap<TurnId, TurnSoFar>(TURNS);
  readonly #parts: Fallback;

  constructor(parts: Fallback) {
    this.#parts = parts;
  }

  /**
   * One message: of `first`, or of the next that answers. Those that can read the request go before those for which it has
   * to be shortened. Throws AGENT_… errors, AGENT_CONTEXT_FULL for the first of the latter too, or the signal's reason.
   */
  async *run(first: string, request: AgentRequest): AsyncGenerator<AgentEvent, void> {
    const { health } = this.#parts;
    const turn = this.#turn(request.messages.at(-1)?.turnId ?? null);
    const left = turn.left([...new Set([first, ...this.#parts.models])]);
    // The caller made it for the first.
    const isTooLong = (model: string) => model !== first && this.#isTooLong(model, request);
    const models = [...left.filter((model) => !isTooLong(model)), ...left.filter(isTooLong)];
    for (const model of models) {
      if (isTooLong(model)) throw new HermesError("AGENT_CONTEXT_FULL", { model });
      const answer = new Answer();
      try {
        yield* answer.of(model, this.#parts.ask(model, request), turn);
        health?.answered(model);
        return;
      } catch (error) {
        request.signal.throwIfAborted();
        const why = error instanceof HermesError ? whyFallBack(error) : null;
        if (why === null) throw error;
        health?.failed(model, why);
        if (answer.hasBegun || this.#parts.models.every((other) => other === first)) throw error;
        turn.failures = [...turn.failures, { model, why }];
      }
    }
    throw new HermesError("AGENT_NONE_ANSWERED", { models: inWords(turn.failures) });
  }

  #turn(id: TurnId | null): TurnSoFar {
    const turn = (id === null ? undefined : this.#turns.get(id)) ?? new TurnSoFar();
    if (id !== null) this.#turns.set(id, turn);
    return turn;
  }

  /** Whether the request was made for a model that reads more than this one. */
  #isTooLong(model: string, { size }: AgentRequest): boolean {
    if (size === undefined) return false;
    const window = this.#parts.windowOf(model);
    return window < size.window && size.tokens > window * FITS;
  }
}

interface Failure {
  readonly model: string;
  readonly why: string;
}

/** The events of one model; before its first words in a turn it is said that it answers instead of others. */
class Answer {
  hasBegun = false;

  async *of(model: string, events: AsyncIterable<AgentEvent>, turn: TurnSoFar): AsyncGenerator<AgentEvent> {
    for await (const event of events) {
      if (!this.hasBegun && (event.type === "text" || event.type === "message")) {
        this.hasBegun = true;
        if (turn.failures.length > 0 && !turn.told.has(model)) {
          turn.told.add(model);
          yield { type: "fallback", text: `${inWords(turn.failures)}; ${model} answers` };
        }
      }
      yield event;
    }
  }
}

function inWords(failures: readonly Failure[]): string {
  return failures.map(({ model, why }) => `${model} ${why}`).join(", ");
}

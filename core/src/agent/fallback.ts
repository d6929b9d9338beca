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
};

/** Why a model did not answer, where another one may: `is overloaded`. Null where it would fare no better. */
function whyFallBack({ code }: HermesError): string | null {
  return Object.hasOwn(FALLS_BACK, code) ? (FALLS_BACK[code] ?? null) : null;
}

/** As many turns are remembered: more do not run at once. */
const TURNS = 200;

/** Which models have failed within a turn: they are not asked again in it. */
class FailedInTurn {
  readonly #failed = new RecentMap<TurnId, ReadonlySet<string>>(TURNS);

  /** Those of `models` that are worth asking; all where all have failed. */
  left(turnId: TurnId | null, models: readonly string[]): readonly string[] {
    const failed = turnId === null ? undefined : this.#failed.get(turnId);
    const left = models.filter((model) => !failed?.has(model));
    return left.length === 0 ? models : left;
  }

  add(turnId: TurnId | null, model: string): void {
    if (turnId !== null) this.#failed.set(turnId, new Set([...(this.#failed.get(turnId) ?? []), model]));
  }
}

export interface Fallback {
  /** The models to ask, in this order, where the session's does not answer. */
  readonly models: readonly string[];
  readonly health: Pick<ModelHealth, "failed" | "answered"> | null;
  /** Asks one model for one message. */
  ask(model: string, request: AgentRequest): AsyncIterable<AgentEvent>;
}

/** Asks models one after the other, until one answers; none once something was said. */
export class FallingBack {
  readonly #failedInTurn = new FailedInTurn();
  readonly #parts: Fallback;

  constructor(parts: Fallback) {
    this.#parts = parts;
  }

  /** One message: of `first`, or of the next that answers. Throws AGENT_… errors, or the signal's reason when it aborts. */
  async *run(first: string, request: AgentRequest): AsyncGenerator<AgentEvent, void> {
    const { health } = this.#parts;
    const turnId = request.messages.at(-1)?.turnId ?? null;
    const models = this.#failedInTurn.left(turnId, [...new Set([first, ...this.#parts.models])]);
    const failures: Failure[] = [];
    for (const model of models) {
      const answer = new Answer();
      try {
        yield* answer.of(model, this.#parts.ask(model, request), failures);
        health?.answered(model);
        return;
      } catch (error) {
        request.signal.throwIfAborted();
        const why = error instanceof HermesError ? whyFallBack(error) : null;
        if (why === null) throw error;
        health?.failed(model, why);
        if (answer.hasBegun || models.length === 1) throw error;
        failures.push({ model, why });
        this.#failedInTurn.add(turnId, model);
      }
    }
    throw new HermesError("AGENT_NONE_ANSWERED", { models: inWords(failures) });
  }
}

interface Failure {
  readonly model: string;
  readonly why: string;
}

/** The events of one model; before its first words it is said that it answers instead of others. */
class Answer {
  hasBegun = false;

  async *of(
    model: string,
    events: AsyncIterable<AgentEvent>,
    failures: readonly Failure[],
  ): AsyncGenerator<AgentEvent> {
    for await (const event of events) {
      if (!this.hasBegun && (event.type === "text" || event.type === "message")) {
        this.hasBegun = true;
        if (failures.length > 0) yield { type: "fallback", text: `${inWords(failures)}; ${model} answers` };
      }
      yield event;
    }
  }
}

function inWords(failures: readonly Failure[]): string {
  return failures.map(({ model, why }) => `${model} ${why}`).join(", ");
}

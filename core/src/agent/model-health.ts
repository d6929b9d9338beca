import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { KeptJson } from "../base/kept-json.ts";

/** A model that did not answer when it was asked last. */
export interface ModelFailure {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** Such as `is overloaded`. */
  readonly why: string;
}

/** More models than these fail only where something makes their names up. */
const MOST_MODELS = 50;

/** Which models did not answer when they were asked last: for all processes of a home, in a file of it. */
export class ModelHealth {
  readonly #file: KeptJson<Readonly<Record<string, ModelFailure>>>;
  readonly #clock: Clock;

  constructor(home: string, clock: Clock) {
    this.#file = new KeptJson(join(home, "model-health.json"), { empty: {} });
    this.#clock = clock;
  }

  /** Null where the model answered last, and where it was never asked. */
  failureOf(model: string): ModelFailure | null {
    const failures = this.#file.read();
    return Object.hasOwn(failures, model) ? (failures[model] ?? null) : null;
  }

  failed(model: string, why: string): void {
    const others = Object.entries(this.#file.read()).filter(([name]) => name !== model);
    const latest = others.toSorted(([, a], [, b]) => b.at - a.at).slice(0, MOST_MODELS - 1);
    this.#write(Object.fromEntries([...latest, [model, { at: this.#clock.now(), why }]]));
  }

  answered(model: string): void {
    const { [model]: failure, ...others } = this.#file.read();
    if (failure !== undefined) this.#write(others);
  }

  /** What nobody can write down, such as on a full disk, does not keep a model from answering. */
  #write(failures: Readonly<Record<string, ModelFailure>>): void {
    try {
      this.#file.write(failures);
    } catch {}
  }
}

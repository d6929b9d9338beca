import { ApiRefusal } from "@hermes/emulator";

/** The arguments of a Web API call: a form, whose nested values are JSON. */
export class Params {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: unknown) {
    this.#values = Object(values) as Record<string, unknown>;
  }

  /** Everything, for the log. */
  get all(): Readonly<Record<string, unknown>> {
    return this.#values;
  }

  text(name: string): string {
    return this.optional(name) ?? "";
  }

  optional(name: string): string | undefined {
    const value = this.#values[name];
    return value === undefined || value === null || value === "" ? undefined : String(value);
  }

  isTrue(name: string): boolean {
    return ["true", "1"].includes(this.text(name));
  }

  number(name: string, otherwise: number): number {
    const value = this.optional(name);
    if (value === undefined) return otherwise;
    if (!/^\d+$/.test(value)) throw new Refusal("invalid_arguments");
    return Number(value);
  }

  /** A nested value; undefined when it is left out. Throws with `code` when it is no JSON. */
  json(name: string, code = "invalid_arguments"): unknown {
    const value = this.#values[name];
    if (typeof value !== "string") return value ?? undefined;
    if (value === "") return undefined;
    try {
      return JSON.parse(value);
    } catch {
      throw new Refusal(code);
    }
  }

  list(name: string, code: string): readonly unknown[] | undefined {
    const value = this.json(name, code);
    if (value !== undefined && !Array.isArray(value)) throw new Refusal(code);
    return value;
  }
}

/** What Slack answers with `ok: false`. */
export class Refusal extends ApiRefusal {
  constructor(code: string, more: Readonly<Record<string, unknown>> = {}) {
    super(200, { ok: false, error: code, ...more });
  }
}

/** What Slack answers to blocks that it does not take, in its words for the reason. */
export function invalid(message: string): Refusal {
  return new Refusal("invalid_blocks", { response_metadata: { messages: [`[ERROR] ${message}`] } });
}

import { badRequest } from "./refusal.ts";

/** The fields of a body, in the words of the server's validators. Those of a form are all texts. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: unknown) {
    this.#values = typeof values === "object" && values !== null ? (values as Record<string, unknown>) : {};
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw badRequest(`The ${name} must be a string.`);
    return value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === "") throw badRequest(`The ${name} field is required.`);
    return value;
  }

  oneOf(name: string, known: readonly string[]): string | undefined {
    const value = this.text(name);
    if (value !== undefined && !known.includes(value)) throw badRequest(`The selected ${name} is invalid.`);
    return value;
  }

  number(name: string, least = 0, most = Number.POSITIVE_INFINITY): number | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null || value === "") return undefined;
    const number = Number(value);
    if (Number.isNaN(number)) throw badRequest(`The ${name} must be a number.`);
    if (number < least) throw badRequest(`The ${name} must be at least ${least}.`);
    if (number > most) throw badRequest(`The ${name} may not be greater than ${most}.`);
    return number;
  }

  list(name: string): readonly unknown[] {
    const value = this.#values[name];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw badRequest(`The ${name} must be an array.`);
    return value;
  }

  /** Whether a field is there that the server takes for true. */
  has(name: string): boolean {
    return Boolean(this.#values[name]);
  }
}

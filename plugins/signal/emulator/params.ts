import { invalidParams } from "./refusal.ts";

/** The parameters of a call; a list may be a single value, and its name may have an `s` ("JsonRpcNamespace"). */
export class Params {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: unknown) {
    this.#values = typeof values === "object" && values !== null ? (values as Record<string, unknown>) : {};
  }

  string(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "string") throw invalidParams(`${name} is no text`);
    return value;
  }

  number(name: string): number | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "number") throw invalidParams(`${name} is no number`);
    return value;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  list(name: string): string[] {
    const value = this.#values[name] ?? this.#values[`${name}s`] ?? [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!values.every((one) => typeof one === "string")) throw invalidParams(`${name} is no list of texts`);
    return values.map(String);
  }
}

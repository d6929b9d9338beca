import { isUuid } from "./source.ts";

/** The ids of the account that Hermes writes as: its number and its service id, as far as they are known. */
export class SelfAddress {
  readonly #ids = new Set<string>();

  get uuid(): string | null {
    return [...this.#ids].find(isUuid) ?? null;
  }

  get number(): string | null {
    return [...this.#ids].find((id) => !isUuid(id)) ?? null;
  }

  /** Nothing is known yet: a daemon that was started for one account does not name it before the first event. */
  get isUnknown(): boolean {
    return this.#ids.size === 0;
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  /** Whether any of these ids, in canonical form, is one of the account. */
  isAny(...ids: readonly (string | null | undefined)[]): boolean {
    return ids.some((id) => id != null && this.#ids.has(id));
  }
}

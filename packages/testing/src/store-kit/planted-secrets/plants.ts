import type { Store } from "@hermes/core/embed";

/** Passes secrets to each call of some parts of a store: the compiler demands an entry for a new call. */
export type Plants<Part extends keyof Store> = {
  readonly [P in Part]: { readonly [Call in keyof Store[P]]: () => Promise<unknown> };
};

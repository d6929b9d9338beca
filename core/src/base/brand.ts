/**
 * Two copies of core can meet in one process (a plugin brings its own), and then `instanceof` answers no for an
 * object that is one. A brand from the global symbol registry answers the same in both copies.
 */
export function brandOf(name: string): symbol {
  return Symbol.for(`hermes:brand:${name}`);
}

/** Whether `value` carries the brand, whichever copy of core made it. */
export function hasBrand(value: unknown, brand: symbol): boolean {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}

/** A string that was checked once and is told apart from other strings by the compiler. */
export type Branded<Name extends string> = string & { readonly __brand: Name };

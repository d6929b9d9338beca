/**
 * Makes a brand from the global symbol registry, which is the same in every copy of core. Two copies can meet in one
 * process (a plugin brings its own), and `instanceof` is false for an object of the other copy.
 */
export function brandOf(name: string): symbol {
  return Symbol.for(`hermes:brand:${name}`);
}

/** Whether `value` carries the brand, whichever copy of core made it. */
export function hasBrand(value: unknown, brand: symbol): boolean {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}

/** A string that was validated once, and that the compiler distinguishes from other strings. */
export type Branded<Name extends string> = string & { readonly __brand: Name };

/** A seeded random number generator, for tests with many generated inputs. */
export interface Random {
  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  pick<T>(values: readonly [T, ...T[]]): T;
}

/** Creates random numbers that are the same for the same seed. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (limit: number) => {
    // Marsaglia's xorshift on a Weyl sequence: short, and good enough for test inputs.
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
  };
  return { below, pick: (values) => values[below(values.length)] ?? values[0] };
}

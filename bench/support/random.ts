/** A whole number from 0 to below 2^32, the next of a row that is the same for the same seed. */
export type Random = () => number;

/** A linear congruential generator with its high bits folded in: quick, and even enough to draw words with. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state ^ (state >>> 15)) >>> 0;
  };
}

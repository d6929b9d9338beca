import type { Random } from "./random.ts";

/** Words with the frequencies of a real language: few are everywhere, most are rare (Zipf's law). */
export interface Vocabulary {
  /** The word of a rank; 0 is the commonest. */
  word(rank: number): string;
  /** `length` words in a row. */
  text(random: Random, length: number): string;
}

const SIZE = 50_000;
/** Mandelbrot's shift: without it the first word alone would make up a tenth of all text. */
const SHIFT = 2.7;
const DRAWS = 2 ** 20;
const CONSONANTS = "bcdfghjklmnprstvwz";
const VOWELS = "aeiou";

export function createVocabulary(): Vocabulary {
  const words = Array.from({ length: SIZE }, (_, rank) => spell(rank));
  const draws = drawTable();
  const word = (rank: number) => {
    const found = words[rank];
    if (found === undefined) throw new RangeError(`there is no word of rank ${rank}`);
    return found;
  };
  return {
    word,
    text(random, length) {
      let text = "";
      for (let i = 0; i < length; i++) text += `${i === 0 ? "" : " "}${words[draws[random() >>> 12] ?? 0]}`;
      return text;
    },
  };
}

/** Every rank, as often among the 2^20 places as it is drawn. */
function drawTable(): Uint16Array {
  const weights = Array.from({ length: SIZE }, (_, rank) => 1 / (rank + 1 + SHIFT));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const table = new Uint16Array(DRAWS);
  let filled = 0;
  let sum = 0;
  weights.forEach((weight, rank) => {
    sum += weight;
    const end = Math.round((sum / total) * DRAWS);
    table.fill(rank, filled, end);
    filled = end;
  });
  return table;
}

/** A rank in syllables: a word for each, the common ones short. */
function spell(rank: number): string {
  let text = "";
  let rest = rank;
  do {
    text += CONSONANTS.charAt(rest % CONSONANTS.length);
    rest = Math.floor(rest / CONSONANTS.length);
    text += VOWELS.charAt(rest % VOWELS.length);
    rest = Math.floor(rest / VOWELS.length);
  } while (rest > 0);
  return text;
}

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** How long a word counts, in milliseconds. */
export const WORD_LASTS_MS = 10 * 60_000;

/** Without letters that look like others, or that one hears as others. */
const CONSONANTS = "bdfgkmnprstvz";
const VOWELS = "aeiou";
const DIGITS = "2345679";

/**
 * A random word that is easy to type on a phone, such as `kadumi47`: one of 13 million. No keyboard takes it for another
 * word and corrects it, because of its digits.
 */
export function newWord(): string {
  return [CONSONANTS, VOWELS, CONSONANTS, VOWELS, CONSONANTS, VOWELS, DIGITS, DIGITS].map(anyOf).join("");
}

/** Whether a message is the word and nothing else, however it is capitalised; it takes as long for every guess. */
export function isWord(text: string, word: string): boolean {
  return timingSafeEqual(digestOfWord(text), digestOfWord(word));
}

function digestOfWord(text: string): Buffer {
  return createHash("sha256").update(text.normalize("NFKC").trim().toLowerCase()).digest();
}

function anyOf(characters: string): string {
  // The largest multiple of the length that a byte holds: above it, some characters would come more often.
  const limit = 256 - (256 % characters.length);
  for (;;) {
    const [byte = 0] = randomBytes(1);
    if (byte < limit) return characters.charAt(byte % characters.length);
  }
}

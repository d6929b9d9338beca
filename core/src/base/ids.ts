import { randomBytes } from "node:crypto";

/** Generates ids, which sort by creation time. */
export interface IdSource {
  /** A new id with a readable prefix, such as `ses_01jdq…`. */
  next(prefix: string): string;
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

function encode(value: number, length: number): string {
  let rest = value;
  let text = "";
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

const RANDOM_CHARACTERS = 12;

/** Random bytes for the next ids: to ask the system for some takes as long for one id as for many. */
let drawn = Buffer.alloc(0);

function randomCharacters(): string {
  if (drawn.length < RANDOM_CHARACTERS) drawn = randomBytes(RANDOM_CHARACTERS * 64);
  let characters = "";
  for (const byte of drawn.subarray(0, RANDOM_CHARACTERS)) characters += ALPHABET.charAt(byte % 32);
  drawn = drawn.subarray(RANDOM_CHARACTERS);
  return characters;
}

/** Generates ids from 9 characters of time and 12 random ones (60 bits). */
export const randomIds: IdSource = {
  next: (prefix) => `${prefix}_${encode(Date.now(), 9)}${randomCharacters()}`,
};

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

/** Generates ids from 9 characters of time and 12 random ones (60 bits). */
export const randomIds: IdSource = {
  next(prefix) {
    const chance = [...randomBytes(12)].map((byte) => ALPHABET.charAt(byte % 32)).join("");
    return `${prefix}_${encode(Date.now(), 9)}${chance}`;
  },
};

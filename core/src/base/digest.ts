import { hash } from "node:crypto";

/** A digest of a text in 22 characters: the first 132 bits of its SHA-256, in base64url. */
export function digestOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}

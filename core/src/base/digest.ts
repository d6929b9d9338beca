import { createHash } from "node:crypto";

/** Tells texts apart: 22 characters, the same for the same text. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

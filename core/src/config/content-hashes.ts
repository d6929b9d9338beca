import { createHash, randomBytes } from "node:crypto";
import { contentOf } from "./content.ts";
import type { Contents } from "./folder-contents.ts";

/**
 * What is kept of contents: enough to tell that they changed, and in which lines, and none of their words, which may be
 * tokens. The salt keeps others from making a line that passes for another.
 */
export interface ContentHashes {
  readonly salt: string;
  readonly places: Readonly<Record<string, readonly string[] | null>>;
  /** What instructs agents in the folder. It changes more often than what runs, and is left out then. */
  readonly instructs?: ContentHashes | undefined;
}

export function hashContents(contents: Contents): ContentHashes {
  const salt = randomBytes(16).toString("hex");
  const places = [...contents].map(([place, text]) => [place, text === null ? null : hashLines(text, salt)] as const);
  return { salt, places: Object.fromEntries(places) };
}

/** Whether no file has changed. The files name their imports, so only those have to be compared. */
export function isUnchanged({ salt, places }: ContentHashes): boolean {
  return Object.entries(places).every(([place, lines]) => {
    const text = contentOf(place);
    if (text === null || lines === null) return text === lines;
    return hashLines(text, salt).join() === lines.join();
  });
}

/** A hash for each line. */
export function hashLines(text: string, salt: string): string[] {
  const ofLine = (line: string) => createHash("sha256").update(salt).update(line).digest("base64url").slice(0, 22);
  return text.split("\n").map(ofLine);
}

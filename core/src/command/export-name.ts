import type { Session } from "../model/session.ts";

/** The longest name without its ending, in code points: file systems take 255 bytes. */
const LONGEST = 60;

/** What the file of an exported session is called: `Trip-to-Rome.md`, and `Trip-to-Rome-2.md` for the second. */
export function exportName({ id, title }: Pick<Session, "id" | "title">, number = 1): string {
  const words = (title ?? id).replaceAll(/[^\p{L}\p{N}]+/gu, "-");
  const name = [...words].slice(0, LONGEST).join("").replaceAll(/^-|-$/g, "");
  return `${name || "session"}${number === 1 ? "" : `-${number}`}.md`;
}

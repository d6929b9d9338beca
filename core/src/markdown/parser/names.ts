import type { MarkdownIt } from "markdown-it";
import type { Reading } from "./reader.ts";

/** What a text is named by from anywhere in it: addresses, and footnotes. */
export type Names = Pick<Reading, "references" | "footnotes">;

const DEFINITION = /^ {0,3}\[(?!\^)([^\][\n\\]{1,999})\]:[ \t]*<?([^\s<>]+)/gm;
const FOOTNOTE = /^ {0,3}\[\^([^\s[\]]{1,200})\]:/gm;

/** The names that stand at the beginning of lines, for a text whose sections are read one by one. */
export function findNames(text: string, { utils }: MarkdownIt): Names {
  const references: Record<string, { readonly href: string; readonly title: string }> = {};
  for (const [, label = "", href = ""] of text.matchAll(DEFINITION)) {
    references[utils.normalizeReference(label)] ??= { href, title: "" };
  }
  return { references, footnotes: new Set(Array.from(text.matchAll(FOOTNOTE), ([, label = ""]) => label)) };
}

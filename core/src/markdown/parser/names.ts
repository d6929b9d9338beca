import type { Names, Reader } from "./reader.ts";

const DEFINITION = /^ {0,3}\[(?!\^)([^\][\n\\]{1,999})\]:[ \t]*<?([^\s<>]+)/gm;
const FOOTNOTE = /^ {0,3}\[\^([^\s[\]]{1,200})\]:/gm;

/** Finds the link and footnote definitions of a text whose sections are parsed one by one. */
export function findNames(text: string, reader: Reader): Names {
  const references: Record<string, { readonly href: string; readonly title: string }> = {};
  for (const [, label = "", href = ""] of text.matchAll(DEFINITION)) {
    references[reader.nameOf(label)] ??= { href, title: "" };
  }
  return { references, footnotes: new Set(Array.from(text.matchAll(FOOTNOTE), ([, label = ""]) => label)) };
}

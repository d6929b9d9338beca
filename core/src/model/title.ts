import { toString as textOf } from "mdast-util-to-string";
import { oneLine } from "../base/one-line.ts";
import { parseMarkdown } from "../markdown/parse-markdown.ts";
import { leaveOutMarks } from "./mark.ts";

/** The longest title, in characters. */
export const TITLE_LIMIT = 80;

/** `text` as a title: on one line, without control characters; null when nothing is left or it is too long. */
export function cleanTitle(text: string): string | null {
  const title = oneLine(text);
  return title.length > 0 && [...title].length <= TITLE_LIMIT ? title : null;
}

/** A title made from the first message of a session. */
export function titleFrom(message: string): string | null {
  const said = message.replaceAll(/⟦in reply to [^⟦⟧]*⟧(?:\n> .*)*\n?/g, "");
  const line = asRead(oneLine(leaveOutMarks(said).replaceAll(/```[\s\S]*?(```|$)/g, " ")));
  if (line.length === 0) return null;
  const characters = [...line];
  if (characters.length <= 48) return line;
  const cut = characters.slice(0, 48).join("");
  const space = cut.lastIndexOf(" ");
  return `${(space > 24 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** More than this of a line is in no title. */
const LONGEST_READ = 1_000;

/** Without the markup that people's formatting comes as. The word before keeps what stands at the start from being a block. */
function asRead(line: string): string {
  const words = [...line]
    .slice(0, LONGEST_READ)
    .join("")
    .replace(/^(?:[#>*+-]+ )+/, "");
  // Nobody's formatting comes as `__`, but names in code do.
  return textOf(parseMarkdown(`x ${words.replaceAll(/_(?=_)|(?<=_)_/g, "\\_")}`))
    .slice(2)
    .trim();
}

import { toString as textOf } from "mdast-util-to-string";
import { oneLine } from "../base/one-line.ts";
import { parseMarkdown } from "../markdown/parse-markdown.ts";
import { leaveOutMarks } from "./mark.ts";

/** The maximum length of a title, in code points. */
export const TITLE_LIMIT = 80;

/** Cleans a title: on one line, without control characters; null when nothing is left or it is too long. */
export function cleanTitle(text: string): string | null {
  const title = oneLine(text);
  return title.length > 0 && [...title].length <= TITLE_LIMIT ? title : null;
}

const FORK = " (fork)";

/** The title of a copy of a session: `plan (fork)`. */
export function titleOfFork(title: string | null): string {
  const base = (title ?? "a session").replace(/ \(fork\)(?: \d+)?$/, "");
  return (
    [...base]
      .slice(0, TITLE_LIMIT - FORK.length)
      .join("")
      .trimEnd() + FORK
  );
}

/** Makes a title from the first message of a session; null when the message has no words for one. */
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

/** In code points: only this much of the message is parsed, which is more than any title keeps. */
const LONGEST_READ = 1_000;

/** Removes inline markup. The word `x` before the line keeps its start from being parsed as a block. */
function asRead(line: string): string {
  const words = [...line]
    .slice(0, LONGEST_READ)
    .join("")
    .replace(/^(?:[#>*+-]+ )+/, "");
  // `__` is literal here: no platform's formatting produces it, but names in code contain it.
  return textOf(parseMarkdown(`x ${words.replaceAll(/_(?=_)|(?<=_)_/g, "\\_")}`))
    .slice(2)
    .trim();
}

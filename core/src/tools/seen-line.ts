import { withNumbers } from "../base/hidden-text.ts";
import { shorten } from "../base/shorten.ts";

/** Puts a path or a command on one line for a person who is asked: what nobody would see of it is escaped. */
export function seenLine(text: string): string {
  return shorten(withNumbers(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t"), 200);
}

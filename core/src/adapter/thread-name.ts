import { oneLine } from "../base/one-line.ts";
import { shorten } from "../base/shorten.ts";

/** Stands where a title has nothing that can be seen. */
const NAMELESS = "New session";

/** A title as the name of a thread: on one line, not empty, and cut between characters to `longest` UTF-16 units. */
export function threadName(title: string, longest: number): string {
  return shorten(oneLine(title), longest) || NAMELESS;
}

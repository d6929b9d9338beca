import { oneLine } from "../base/one-line.ts";

/** Stands where a title has nothing that can be seen. */
const NAMELESS = "New session";

/** A title as the name of a thread: on one line, not empty, and cut between characters to `longest` UTF-16 units. */
export function threadName(title: string, longest: number): string {
  const line = oneLine(title);
  if (line.length <= longest) return line || NAMELESS;
  let name = "";
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    // The ellipsis needs a place, too.
    if (name.length + segment.length >= longest) break;
    name += segment;
  }
  return `${name.trimEnd()}…`;
}

import { graphemeClusters } from "./grapheme-clusters.ts";

/**
 * Shortens `text` to at most `longest` UTF-16 units, with an ellipsis where it was cut. Cuts between characters as people
 * see them: an emoji of several code points is kept whole or dropped.
 *
 * @example
 * ```ts
 * shorten("Look at the logs of last night", 12); // "Look at the…"
 * ```
 */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  // Of such characters none belongs to the one before it.
  const beginning = text.slice(0, Math.max(1, longest));
  if (/^[ -~]*$/.test(beginning)) return `${beginning.slice(0, -1).trimEnd()}…`;
  let kept = "";
  for (const { segment } of graphemeClusters(text)) {
    // The ellipsis needs room, too.
    if (kept.length + segment.length >= longest) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * `text` where it is no longer than `longest` UTF-16 units; else its beginning with an ellipsis, no longer than that. It
 * is cut between characters as a person sees them: an emoji of several code points stays whole, or goes.
 *
 * @example
 * ```ts
 * shorten("Look at the logs of last night", 12); // "Look at the…"
 * ```
 */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    // The ellipsis needs a place, too.
    if (kept.length + segment.length >= longest) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

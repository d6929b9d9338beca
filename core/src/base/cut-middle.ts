/**
 * Cuts the middle out of a text that is longer than `longest` UTF-16 units: the head, what `gap` says of the part that was
 * cut, and a shorter tail stay. Cuts no surrogate pair in two. A shorter text is returned as it is.
 */
export function cutMiddle(text: string, longest: number, gap: (cut: number) => string): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, cutBefore(text, Math.ceil((longest * 2) / 3)));
  const tail = text.slice(cutBefore(text, text.length - Math.floor(longest / 3)));
  return `${head}\n\n${gap(text.length - head.length - tail.length)}\n\n${tail}`;
}

/** `at`, or one less where a surrogate pair would be cut. */
export function cutBefore(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
}

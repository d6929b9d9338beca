/**
 * Puts `mark` (such as `**`) on both sides of the words of `text`. Spaces at the ends stay outside: some platforms let
 * people format them, but Markdown recognises a mark only next to a word.
 */
export function markWords(text: string, mark: string): string {
  const words = text.trim();
  if (words === "") return text;
  const from = text.indexOf(words);
  return `${text.slice(0, from)}${mark}${words}${mark}${text.slice(from + words.length)}`;
}

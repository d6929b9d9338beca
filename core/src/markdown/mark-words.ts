/**
 * `text` with `mark` (`**`, say) on both sides of its words. Spaces at the ends stay outside, where platforms let people
 * format them: Markdown takes a mark for one only where it stands next to a word.
 */
export function markWords(text: string, mark: string): string {
  const words = text.trim();
  if (words === "") return text;
  const from = text.indexOf(words);
  return `${text.slice(0, from)}${mark}${words}${mark}${text.slice(from + words.length)}`;
}

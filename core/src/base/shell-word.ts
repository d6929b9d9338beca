/** Quotes a word of a command where that is needed, so that it can be pasted into a shell. */
export function shellWord(word: string): string {
  return /^[\w.:/-]+$/.test(word) ? word : `"${word.replaceAll(/["\\$`]/g, "\\$&")}"`;
}

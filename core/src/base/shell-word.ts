/**
 * Quotes a word of a command where that is needed, so that it can be pasted into a shell. In double quotes, except around
 * a `!`, by which a shell that a person types in would put an earlier command there.
 */
export function shellWord(word: string): string {
  if (/^[\w.:/@+-]+$/.test(word)) return word;
  return word.includes("!") ? `'${word.replaceAll("'", "'\\''")}'` : `"${word.replaceAll(/["\\$`]/g, "\\$&")}"`;
}

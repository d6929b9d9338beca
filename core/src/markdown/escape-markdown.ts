/** Escapes one line of text from outside for Markdown, so that it is shown literally. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]<~&|]/g, "\\$&")
    .replace(/^(\s*)([-+=#>])/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/, "$1\\$2");
}

/** Makes a code span of text from outside; line breaks become spaces. */
export function codeSpan(text: string): string {
  const line = text.replaceAll(/[\r\n]+/g, " ");
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  // A backtick at an end would join the fence; parsers strip one space from each end.
  const pad = /^`|`$|^ .* $/.test(line) ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Text from outside as a part of Markdown that reads as it was written: nothing in it is markup. For one line. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]<~&|]/g, "\\$&")
    .replace(/^(\s*)([-+=#>])/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/, "$1\\$2");
}

/** Text from outside as a code span; a space stands for a line break. */
export function codeSpan(text: string): string {
  const line = text.replaceAll(/[\r\n]+/g, " ");
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  // A backtick at an end would join the fence; a reader takes one space off each end again.
  const pad = /^`|`$|^ .* $/.test(line) ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

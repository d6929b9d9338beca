/** Makes a code block of `content`, with a fence longer than any run of backticks in it. */
export function fenced(content: string, language = ""): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${content}\n${fence}`;
}

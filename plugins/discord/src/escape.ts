/**
 * Text as it is, for a message of Discord's: nothing in it is markup (Discord's help page "Markdown Text 101"). No more
 * is escaped than has to be, so that what people copy reads well.
 */
export function escapeText(text: string, { atLineStart = false }: { readonly atLineStart?: boolean } = {}): string {
  const escaped = text
    .replaceAll(/[\\*`]/g, "\\$&")
    .replaceAll(/~(?=~)|(?<=~)~/g, "\\~")
    .replaceAll(/\|(?=\|)|(?<=\|)\|/g, "\\|")
    // Within a word it is no markup.
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    // Mentions, emoji, times and addresses.
    .replaceAll(/<(?=[@#:]|a:|t:|id:|https?:|\/[^<>\n]*:\d+>)/g, "\\<");
  const lineStart = /^([ \t]*)(#{1,3}(?= )|>(?=[ >])|-(?= |# )|\+(?= )|\d+(?=\. ))/;
  const lines = escapeLinks(escaped).split("\n");
  return lines.map((line, at) => (at > 0 || atLineStart ? line.replace(lineStart, escapeStart) : line)).join("\n");
}

/** What stands in brackets before an address would be a link. */
function escapeLinks(text: string): string {
  if (!text.includes("](")) return text;
  const parts = text.split("]");
  return parts.map((part, at) => (parts[at + 1]?.startsWith("(") ? part.replaceAll("[", "\\[") : part)).join("]");
}

function escapeStart(_: string, space: string, mark: string): string {
  // A backslash before a digit would be shown: the point behind it is what makes the list.
  return /^\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`;
}

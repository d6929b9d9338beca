import { codeSpan } from "@hermes/core/markdown";
import type { MessageEntity } from "grammy/types";

/**
 * What a person wrote, with Telegram's formatting as Markdown. The words themselves stay as they were typed: what looks
 * like Markdown in them was mostly meant so.
 */
export function toMarkdown(text: string, entities: readonly MessageEntity[]): string {
  // Those that hold others come before them.
  const outer = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  return convert(text, outer, 0, text.length);
}

function convert(text: string, entities: readonly MessageEntity[], start: number, end: number): string {
  let markdown = "";
  let at = start;
  for (const [index, entity] of entities.entries()) {
    const stop = Math.min(entity.offset + entity.length, end);
    if (entity.offset < at || stop <= entity.offset) continue;
    const inner = entities.slice(index + 1).filter((other) => other.offset < stop);
    markdown += text.slice(at, entity.offset);
    markdown += mark(entity, text.slice(entity.offset, stop), () => convert(text, inner, entity.offset, stop));
    at = stop;
  }
  return markdown + text.slice(at, end);
}

function mark(entity: MessageEntity, raw: string, inner: () => string): string {
  switch (entity.type) {
    case "bold":
      return around(inner(), "**");
    case "italic":
      return around(inner(), "_");
    case "strikethrough":
      return around(inner(), "~~");
    case "code":
      return codeSpan(raw);
    case "pre":
      return fence(raw, entity.language ?? "");
    case "text_link":
      return `[${inner()}](${entity.url})`;
    case "blockquote":
    case "expandable_blockquote":
      return inner()
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n");
    default:
      return inner();
  }
}

/** Marks stand next to a word, or they are none. */
function around(text: string, mark: string): string {
  const words = text.trim();
  if (words === "") return text;
  const from = text.indexOf(words);
  return `${text.slice(0, from)}${mark}${words}${mark}${text.slice(from + words.length)}`;
}

function fence(code: string, language: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const marker = "`".repeat(longest + 1);
  return `${marker}${language}\n${code.replace(/\n$/, "")}\n${marker}`;
}

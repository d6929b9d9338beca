import { codeSpan, fenced, markWords } from "@hermes/core/markdown";
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
      return markWords(inner(), "**");
    case "italic":
      return markWords(inner(), "_");
    case "strikethrough":
      return markWords(inner(), "~~");
    case "code":
      return codeSpan(raw);
    case "pre":
      return fenced(raw.replace(/\n$/, ""), entity.language);
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

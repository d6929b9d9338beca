import { type RangeMark, rangesToMarkdown } from "@hermes/core/markdown";
import type { WireMention, WireTextStyle } from "./envelope.ts";

/** A mention, and how it is to be read. */
export interface NamedMention extends Pick<WireMention, "start" | "length"> {
  readonly shown: string;
}

/** Signal's styles ("BodyRange"). A spoiler is read as plain text. */
const MARKS: ReadonlyMap<string, RangeMark> = new Map([
  ["BOLD", "strong"],
  ["ITALIC", "emphasis"],
  ["STRIKETHROUGH", "delete"],
  ["MONOSPACE", "code"],
]);

/** What a person wrote, with Signal's styles as Markdown and names in place of mentions. */
export function toMarkdown(
  text: string,
  styles: readonly WireTextStyle[],
  mentions: readonly NamedMention[] = [],
): string {
  const styled = styles.flatMap(({ start, length, style: name }) => {
    const style = MARKS.get(name);
    return style === undefined ? [] : [{ start, length, style }];
  });
  const named = mentions.map(({ start, length, shown }) => ({ start, length, style: { shown } }));
  return rangesToMarkdown(text, [...styled, ...named]);
}

import { filePieces, type OutboundMessage, type Piece } from "@hermes/core";
import {
  type Dialect,
  knownLanguage,
  parseMarkdown,
  type RangedText,
  rangeDialect,
  renderRanges,
  splitRanges,
  type TextRange,
  type Write,
} from "@hermes/core/markdown";
import type { MessageEntity } from "grammy/types";
import { toKeyboard } from "./choices.ts";

/** The longest text of a message, after formatting ("sendMessage"). */
export const TEXT_LIMIT = { length: 4096, unit: "utf16" } as const;

/** The most entities in one message; Telegram ignores the rest. */
const MOST_ENTITIES = 100;

/** What is bold, code or a link in a text, in UTF-16 units ("MessageEntity"): the kinds that Hermes uses. */
export type Entity =
  | MessageEntity.CommonMessageEntity
  | MessageEntity.PreMessageEntity
  | MessageEntity.TextLinkMessageEntity;

/** What an entity is, without its place. */
type Kind =
  | { readonly type: "bold" | "italic" | "strikethrough" | "code" | "blockquote" }
  | { readonly type: "pre"; readonly language?: string }
  | { readonly type: "text_link"; readonly url: string };

/** Addresses that are put behind a text ("text_link"). */
const LINKABLE = /^https?:\/\/\S/i;

/** What apps make links of by themselves, wherever it stands but in code: a tap on it acts within Telegram. */
const OWN_SCHEME = /\b(?:tg|ton|tonsite):\S+/gi;

const ranges = rangeDialect<Kind>({
  styles: {
    strong: { type: "bold" },
    emphasis: { type: "italic" },
    delete: { type: "strikethrough" },
    code: { type: "code" },
  },
  linkStyle: (url) => (LINKABLE.test(url) ? { type: "text_link", url } : null),
});

/** Markdown as Telegram shows it. */
export const dialect: Dialect<Write<Kind>> = {
  ...ranges,
  text: (value) => (to) => {
    let at = 0;
    for (const { 0: address, index } of value.matchAll(OWN_SCHEME)) {
      to.add(value.slice(at, index));
      to.within({ type: "code" }, () => to.add(address));
      at = index + address.length;
    }
    to.add(value.slice(at));
  },
  codeBlock: (value, language) => (to) => {
    const known = knownLanguage(language);
    const kind: Kind = known === null ? { type: "pre" } : { type: "pre", language: known };
    to.atMargin(() => to.within(kind, () => to.add(value)));
  },
  quote: (parts) => (to) => to.within({ type: "blockquote" }, ranges.blocks(parts)),
};

/** The messages that say what `message` says: formatted, and cut to what Telegram takes. */
export function render({ markdown, files = [], choices }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  const whole = permitted(renderRanges(root, dialect, isPermitted));
  const parts = splitRanges(whole, { ...TEXT_LIMIT, mostRanges: MOST_ENTITIES });
  const pieces = parts.map(toPiece);
  const last = pieces.pop();
  if (last === undefined) return filePieces(files);
  const ending = choices ? { ...last, extra: { ...last.extra, reply_markup: toKeyboard(choices) } } : last;
  return [...pieces, ending, ...filePieces(files)];
}

function toPiece({ text, ranges }: RangedText<Kind>): Piece {
  const entities = ranges.map(({ style, start, length }): Entity => ({ ...style, offset: start, length }));
  return entities.length > 0 ? { text, extra: { entities } } : { text };
}

/** Nothing holds its own kind, and neither links nor code can hold the other ("Formatting options"). */
function isPermitted({ type }: Kind, open: readonly Kind[]): boolean {
  return open.every((outer) => outer.type !== type && !(type === "code" && outer.type === "text_link"));
}

/** Styles end where code begins, which they cannot hold, and at words: spaces at ends the platform would leave out itself. */
function permitted({ text, ranges }: RangedText<Kind>): RangedText<Kind> {
  const code = ranges.filter(isCode);
  let passed = 0;
  const parts = ranges.flatMap((range) => {
    if (isCode(range)) return [range];
    while (endOf(code[passed]) <= range.start) passed++;
    const words = withoutSpaces(range, text);
    return isStyle(range) ? without(words, code, passed) : [words];
  });
  return {
    text,
    ranges: parts.filter(({ length }) => length > 0).sort((a, b) => a.start - b.start || b.length - a.length),
  };
}

function isCode({ style: { type } }: TextRange<Kind>): boolean {
  return type === "pre" || type === "code";
}

function isStyle({ style: { type } }: TextRange<Kind>): boolean {
  return type === "bold" || type === "italic" || type === "strikethrough";
}

function withoutSpaces(range: TextRange<Kind>, text: string): TextRange<Kind> {
  const written = text.slice(range.start, range.start + range.length);
  return {
    ...range,
    start: range.start + (written.length - written.trimStart().length),
    length: written.trim().length,
  };
}

/** The parts of `range` that lie outside `code`, which is in order, from its `first` on. */
function without(range: TextRange<Kind>, code: readonly TextRange<Kind>[], first: number): TextRange<Kind>[] {
  const end = endOf(range);
  const parts: TextRange<Kind>[] = [];
  let { start } = range;
  for (let at = first, hole = code[at]; hole && hole.start < end; hole = code[++at]) {
    if (hole.start > start) parts.push({ ...range, start, length: hole.start - start });
    start = Math.max(start, endOf(hole));
  }
  if (start < end) parts.push({ ...range, start, length: end - start });
  return parts;
}

function endOf(range: TextRange<Kind> | undefined): number {
  return range ? range.start + range.length : Number.POSITIVE_INFINITY;
}

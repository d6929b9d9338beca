import { filePieces, type OutboundMessage, type Piece } from "@hermes/core";
import {
  type Dialect,
  knownLanguage,
  parseMarkdown,
  type RangedText,
  type RangeRules,
  rangeDialect,
  renderRanges,
  splitRanges,
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

/** "Formatting options". Telegram itself leaves out spaces at the ends of an entity that is no code. */
const rules: RangeRules<Kind> = {
  // Nothing holds its own kind, and neither links nor code can hold the other.
  permits: ({ type }, open) =>
    open.every((outer) => outer.type !== type && !(type === "code" && outer.type === "text_link")),
  interrupts: (inner, { type }) => isCode(inner) && (type === "bold" || type === "italic" || type === "strikethrough"),
  isTrimmed: (kind) => !isCode(kind),
};

/** The messages that say what `message` says: formatted, and cut to what Telegram takes. */
export function render({ markdown, files = [], choices }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  const whole = renderRanges(root, dialect, rules);
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

function isCode({ type }: Kind): boolean {
  return type === "pre" || type === "code";
}

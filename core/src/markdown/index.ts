/**
 * Markdown for adapters: a parser, a renderer with one dialect per platform, and a splitter. A subpath of its own, so
 * that the parser is loaded only when there is a message to send.
 */
export type * from "mdast";
export { toString as textOf } from "mdast-util-to-string";
export {
  type BlockPart,
  type Dialect,
  type ItemParts,
  isBareLink,
  knownLanguage,
  type LinkParts,
  markerOf,
  type TextStyle,
} from "./dialect/dialect.ts";
export { htmlDialect } from "./dialect/html-dialect.ts";
export { markupAsCode } from "./dialect/markup-as-code.ts";
export { type RangeOptions, rangeDialect, renderRanges, type Write } from "./dialect/range-dialect.ts";
export { type RangedText, type RangeRules, RangeWriter, type TextRange } from "./dialect/range-writer.ts";
export { type SplitRangesOptions, splitRanges } from "./dialect/split-ranges.ts";
export { joinLines, keepFence, type TextOptions, textDialect } from "./dialect/text-dialect.ts";
export { renderMarkdown } from "./dialect/walk.ts";
export { codeSpan, escapeMarkdown } from "./escape-markdown.ts";
export { fenced } from "./fence.ts";
export { findPlainCut } from "./find-cut.ts";
export { markWords } from "./mark-words.ts";
export { parseMarkdown, parseSections, type Section } from "./parse-markdown.ts";
export { type RangeMark, rangesToMarkdown } from "./ranges-to-markdown.ts";
export { safeLink } from "./safe-link.ts";
export { type SplitOptions, splitText } from "./split-text.ts";
export { tableText } from "./table-text.ts";
export { sizeOf, type TextUnit } from "./text-unit.ts";

/**
 * Markdown for adapters: one tree for each text, and one way to cut it. A subpath of its own, since the parser is not
 * needed before something is said.
 */
export type * from "mdast";
export { toString as textOf } from "mdast-util-to-string";
export { codeSpan, escapeMarkdown } from "./escape-markdown.ts";
export { fenced } from "./fenced.ts";
export { findPlainCut } from "./find-cut.ts";
export { markWords } from "./mark-words.ts";
export { parseMarkdown, parseSections, type Section } from "./parse-markdown.ts";
export { safeLink } from "./safe-link.ts";
export { type SplitOptions, splitText } from "./split-text.ts";
export { tableText } from "./table-text.ts";
export { sizeOf, type TextUnit } from "./text-unit.ts";

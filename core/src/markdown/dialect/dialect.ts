import type { List, PhrasingContent, RootContent, Table, TableCell } from "mdast";

/**
 * How a platform writes what Markdown says: one small function for each thing, from the inside out. `Block` and `Phrase`
 * are what they come to: text with marks in it ({@link textDialect}), text with ranges beside it ({@link rangeDialect}),
 * HTML ({@link htmlDialect}). Begin with one of those and replace what your platform does in another way:
 *
 * @example
 * const dialect: Dialect<string> = {
 *   ...textDialect({
 *     escape: (text) => text.replaceAll("&", "&amp;"),
 *     marks: { strong: "*", emphasis: "_", delete: "~" },
 *     bullets: ["•"],
 *     link: ({ url, label }) => `${label} (${url})`,
 *   }),
 *   rule: () => "* * *",
 * };
 * const texts = splitText(renderMarkdown(parseMarkdown(markdown), dialect), { length: 4_000, unit: "utf16" });
 */
export interface Dialect<Block, Phrase = Block> {
  /** Text to be read as it stands, without markup: raw HTML is such text, too. `isLineStart` says that a line begins. */
  text(value: string, isLineStart: boolean): Phrase;
  /** A line break that is meant; as {@link text} unless given. */
  lineBreak?(): Phrase;
  styled(style: TextStyle, text: Phrase): Phrase;
  /** Whether a style is written within itself, too. Where it is a mark in the text, the inner one would end the outer. */
  readonly nestsStyles?: boolean;
  code(value: string): Phrase;
  link(link: LinkParts<Phrase>): Phrase;
  /** What an image without a description is called; else it has no label. */
  readonly imageName?: string;
  /** The label of a footnote where the text names it; as {@link text} unless given. */
  footnoteReference?(label: string): Phrase;
  /** Joins running text of its parts, which `write` writes. Text begins no line unless `isLineStart` says so. */
  phrases(nodes: readonly PhrasingContent[], write: (node: PhrasingContent, isLineStart?: boolean) => Phrase): Phrase;

  /** `isTight` is one in a list whose items stand close together. */
  paragraph(text: Phrase, isTight: boolean): Block;
  /** From 1 to 6; a bold paragraph unless given, or where it comes to null. */
  heading?(depth: number, text: () => Phrase): Block | null;
  codeBlock(value: string, language: string | null): Block;
  /** A code block with aligned columns unless given. */
  table?(table: Table, cell: (cell: TableCell) => Phrase): Block;
  list(items: readonly Block[], list: List): Block;
  item(item: ItemParts<Block>): Block;
  quote(parts: readonly BlockPart<Block>[]): Block;
  /** Raw HTML; a paragraph of {@link text} unless given. */
  html?(value: string): Block;
  /** Dashes unless given. */
  rule?(): Block;
  footnote(label: string, text: Block): Block;
  /** Joins blocks that stand below one another. */
  blocks(parts: readonly BlockPart<Block>[]): Block;
}

/** Bold, italic, struck through. */
export type TextStyle = "strong" | "emphasis" | "delete";

/** A link, or an image, which is shown as one. */
export interface LinkParts<Phrase> {
  readonly url: string;
  /** What it says as plain text; empty where it says nothing. */
  readonly label: string;
  /** What it says, written in the dialect. */
  shown(): Phrase;
}

/** A block that was written. */
export interface BlockPart<Block> {
  readonly type: RootContent["type"];
  readonly block: Block;
}

export interface ItemParts<Block> {
  readonly parts: readonly BlockPart<Block>[];
  readonly list: List;
  /** How many lists are around its list. */
  readonly depth: number;
  /** Null in a list without numbers. */
  readonly number: number | null;
  /** The box of a task, ticked or not; empty where the item is none. */
  readonly box: "☑" | "☐" | "";
  /** Whether empty lines stand between its parts. */
  readonly isSpread: boolean;
}

/** The number of an item, or the bullet for its depth: below the last one of `bullets`, that one again. */
export function markerOf(
  { number, depth }: Pick<ItemParts<unknown>, "number" | "depth">,
  bullets: readonly string[],
): string {
  return number === null ? (bullets[depth] ?? bullets.at(-1) ?? "") : `${number}.`;
}

/** The language of a code block where it is one that apps may know; else null. */
export function knownLanguage(language: string | null): string | null {
  return language !== null && /^[\w+#.-]{1,32}$/.test(language) ? language : null;
}

/** Whether the label of a link is the address itself, which apps make a link of. */
export function isBareLink({ url, label }: Pick<LinkParts<unknown>, "url" | "label">): boolean {
  return label === url || `mailto:${label}` === url || `http://${label}` === url;
}

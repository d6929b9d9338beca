import type { List, PhrasingContent, RootContent, Table, TableCell } from "mdast";

/**
 * Defines how a platform writes Markdown: one small function for each kind of node, called from the inside out. `Block`
 * and `Phrase` are their results: text with marks in it ({@link textDialect}), text with ranges beside it
 * ({@link rangeDialect}), or HTML ({@link htmlDialect}). Start with one of those and replace what your platform does
 * differently:
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
  /** Literal text, without markup; also raw HTML. `isLineStart` is true at the start of a line. */
  text(value: string, isLineStart: boolean): Phrase;
  /** A hard line break; by default, {@link text} with a line feed. */
  lineBreak?(): Phrase;
  styled(style: TextStyle, text: Phrase): Phrase;
  /** Whether a style may be nested in itself. With marks in the text it must not: the inner mark would end the outer. */
  readonly nestsStyles?: boolean;
  code(value: string): Phrase;
  link(link: LinkParts<Phrase>): Phrase;
  /** The label of an image without a description; without it, such an image has no label. */
  readonly imageName?: string;
  /** A reference to a footnote; by default, {@link text} with its label. */
  footnoteReference?(label: string): Phrase;
  /** Joins inline nodes, which `write` renders. Pass `isLineStart` for a node at the start of a line. */
  phrases(nodes: readonly PhrasingContent[], write: (node: PhrasingContent, isLineStart?: boolean) => Phrase): Phrase;

  /** A paragraph; `isTight` when it is in a list without empty lines between its items. */
  paragraph(text: Phrase, isTight: boolean): Block;
  /** A heading; `depth` is 1 to 6. By default, or when this returns null, a bold paragraph. */
  heading?(depth: number, text: () => Phrase): Block | null;
  codeBlock(value: string, language: string | null): Block;
  /** A table; by default, a code block with aligned columns. */
  table?(table: Table, cell: (cell: TableCell) => Phrase): Block;
  list(items: readonly Block[], list: List): Block;
  item(item: ItemParts<Block>): Block;
  quote(parts: readonly BlockPart<Block>[]): Block;
  /** Raw HTML; by default, a paragraph of {@link text}. */
  html?(value: string): Block;
  /** A thematic break; by default, dashes. */
  rule?(): Block;
  footnote(label: string, text: Block): Block;
  /** Joins consecutive blocks. */
  blocks(parts: readonly BlockPart<Block>[]): Block;
}

/** Bold, italic, struck through. */
export type TextStyle = "strong" | "emphasis" | "delete";

/** A link, or an image, which is shown as a link. */
export interface LinkParts<Phrase> {
  readonly url: string;
  /** Its label as plain text; may be empty. */
  readonly label: string;
  /** Renders its label in the dialect. */
  shown(): Phrase;
}

/** A rendered block. */
export interface BlockPart<Block> {
  readonly type: RootContent["type"];
  readonly block: Block;
}

/** An item of a list, with what its mark depends on. */
export interface ItemParts<Block> {
  readonly parts: readonly BlockPart<Block>[];
  readonly list: List;
  /** The number of lists around its list. */
  readonly depth: number;
  /** The item's number; null in a bullet list. */
  readonly number: number | null;
  /** The checkbox of a task; empty for any other item. */
  readonly box: "☑" | "☐" | "";
  /** Whether empty lines separate its parts. */
  readonly isSpread: boolean;
}

/** The number of an item, or the bullet for its depth; deeper items repeat the last of `bullets`. */
export function markerOf(
  { number, depth }: Pick<ItemParts<unknown>, "number" | "depth">,
  bullets: readonly string[],
): string {
  return number === null ? (bullets[depth] ?? bullets.at(-1) ?? "") : `${number}.`;
}

/** The language of a code block if it looks like a language's name; else null. */
export function knownLanguage(language: string | null): string | null {
  return language !== null && /^[\w+#.-]{1,32}$/.test(language) ? language : null;
}

/** Whether the label of a link is its own address, which apps turn into a link themselves. */
export function isBareLink({ url, label }: Pick<LinkParts<unknown>, "url" | "label">): boolean {
  return label === url || `mailto:${label}` === url || `http://${label}` === url;
}

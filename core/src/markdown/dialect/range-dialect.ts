import type { Root } from "mdast";
import { type Dialect, markerOf, type TextStyle } from "./dialect.ts";
import { type RangedText, type RangeRules, RangeWriter } from "./range-writer.ts";
import { renderMarkdown } from "./walk.ts";

/** Writes a part of a text to a {@link RangeWriter}. */
export type Write<Style> = (to: RangeWriter<Style>) => void;

/** Describes a platform that takes formatting as ranges beside the text. */
export interface RangeOptions<Style> {
  readonly styles: Readonly<Record<TextStyle | "code", Style>>;
  /** The style that links a text to an address; null if the address can only be written after the text. */
  linkStyle?(url: string): Style | null;
}

/** By depth; deeper lists repeat the last. */
const BULLETS = ["•", "◦", "▪"] as const;

/** Writes Markdown as text with ranges beside it, for {@link renderRanges}. */
export function rangeDialect<Style>({ styles, linkStyle = () => null }: RangeOptions<Style>): Dialect<Write<Style>> {
  const inCode = (value: string): Write<Style> => {
    return (to) => to.within(styles.code, () => to.add(value));
  };
  const below = (parts: readonly Write<Style>[], gap: string): Write<Style> => {
    return (to) => {
      for (const [at, write] of parts.entries()) {
        if (at > 0) to.add(gap);
        write(to);
      }
    };
  };
  const blocks: Dialect<Write<Style>>["blocks"] = (parts) =>
    below(
      parts.map(({ block }) => block),
      "\n\n",
    );
  return {
    text: (value) => (to) => to.add(value),
    styled: (style, text) => (to) => to.within(styles[style], text),
    code: inCode,
    // Apps turn bare addresses into links themselves.
    link: ({ url, label, shown }) => {
      const text = label.trim();
      if (text === "" || text === url || `mailto:${text}` === url) return (to) => to.add(text || url);
      const style = linkStyle(url);
      const write = shown();
      if (style !== null) return (to) => to.within(style, write);
      return below([write, (to) => to.add(` (${url})`)], "");
    },
    phrases: (nodes, write) =>
      below(
        nodes.map((node) => write(node)),
        "",
      ),

    paragraph: (text) => text,
    codeBlock: inCode,
    list: (items, { spread }) => below(items, spread ? "\n\n" : "\n"),
    item: (item) => {
      const marker = item.number === null && item.box !== "" ? "" : markerOf(item, BULLETS);
      const text = below(
        item.parts.map(({ block }) => block),
        item.isSpread ? "\n\n" : "\n",
      );
      return (to) => {
        to.add(`${marker} ${item.box}`.trim().concat(" "));
        to.withMargin("   ", text);
      };
    },
    quote: (parts) => (to) => to.withMargin("> ", blocks(parts)),
    footnote: (label, text) => (to) => {
      to.add(`[${label}] `);
      text(to);
    },
    blocks,
  };
}

/**
 * Renders a tree of Markdown as text with ranges beside it, to be split with {@link splitRanges}. `rules` says what the
 * platform does not take of ranges.
 *
 * @example
 * const dialect = rangeDialect({ styles: { strong: "BOLD", emphasis: "ITALIC", delete: "STRIKE", code: "MONO" } });
 * const parts = splitRanges(renderRanges(parseMarkdown(markdown), dialect), { length: 2_000, unit: "bytes" });
 */
export function renderRanges<Style>(
  root: Root,
  dialect: Dialect<Write<Style>>,
  rules?: RangeRules<Style>,
): RangedText<Style> {
  const writer = new RangeWriter(rules);
  renderMarkdown(root, dialect)(writer);
  return writer.finish();
}

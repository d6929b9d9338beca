import type { List, Nodes, PhrasingContent, Root, RootContent } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import { tableText } from "../table-text.ts";
import type { BlockPart, Dialect, TextStyle } from "./dialect.ts";

/** Renders a tree of Markdown (see {@link parseMarkdown}) in the dialect of a platform. */
export function renderMarkdown<Block, Phrase>(root: Root, dialect: Dialect<Block, Phrase>): Block {
  return dialect.blocks(new Walk(dialect).parts(root.children));
}

/** One walk over a tree. */
class Walk<Block, Phrase> {
  readonly #dialect: Dialect<Block, Phrase>;
  /** The open styles. */
  readonly #styles = new Set<TextStyle>();
  /** The number of open lists. */
  #depth = 0;

  constructor(dialect: Dialect<Block, Phrase>) {
    this.#dialect = dialect;
  }

  parts(nodes: readonly RootContent[], isTight = false): BlockPart<Block>[] {
    return nodes.map((node) => ({ type: node.type, block: this.#block(node, isTight) }));
  }

  #block(node: RootContent, isTight: boolean): Block {
    const dialect = this.#dialect;
    switch (node.type) {
      case "paragraph":
        return dialect.paragraph(this.#phrases(node.children), isTight);
      case "heading":
        return (
          dialect.heading?.(node.depth, () => this.#phrases(node.children)) ??
          dialect.paragraph(this.#styled("strong", node.children), false)
        );
      case "code":
        return dialect.codeBlock(node.value, node.lang ?? null);
      case "table":
        return (
          dialect.table?.(node, (cell) => this.#phrases(cell.children)) ?? dialect.codeBlock(tableText(node), null)
        );
      case "list":
        return dialect.list(this.#items(node), node);
      case "blockquote":
        return dialect.quote(this.parts(node.children));
      case "thematicBreak":
        return dialect.rule?.() ?? this.#plain("———");
      case "footnoteDefinition":
        return dialect.footnote(node.label ?? node.identifier, dialect.blocks(this.parts(node.children)));
      default:
        return dialect.html?.(sourceOf(node)) ?? this.#plain(sourceOf(node));
    }
  }

  #plain(text: string): Block {
    return this.#dialect.paragraph(this.#dialect.text(text, true), false);
  }

  #items(list: List): Block[] {
    const depth = this.#depth++;
    const items = list.children.map((item, at) =>
      this.#dialect.item({
        parts: this.parts(item.children, item.spread !== true),
        list,
        depth,
        number: list.ordered ? (list.start ?? 1) + at : null,
        box: item.checked === true ? "☑" : item.checked === false ? "☐" : "",
        isSpread: item.spread === true,
      }),
    );
    this.#depth = depth;
    return items;
  }

  #phrases(nodes: readonly PhrasingContent[]): Phrase {
    return this.#dialect.phrases(nodes, (node, isLineStart = false) => this.#phrase(node, isLineStart));
  }

  #phrase(node: PhrasingContent, isLineStart: boolean): Phrase {
    const dialect = this.#dialect;
    switch (node.type) {
      case "strong":
      case "emphasis":
      case "delete":
        return this.#styled(node.type, node.children);
      case "inlineCode":
        return dialect.code(node.value);
      case "link":
        return this.#link(node.url, textOf(node), node.children);
      case "image": {
        const label = node.alt || (dialect.imageName ?? "");
        return this.#link(node.url, label, [{ type: "text", value: label }]);
      }
      case "break":
        return dialect.lineBreak?.() ?? dialect.text("\n", isLineStart);
      case "footnoteReference": {
        const label = node.label ?? node.identifier;
        return dialect.footnoteReference?.(label) ?? dialect.text(`[${label}]`, isLineStart);
      }
      default:
        return dialect.text(sourceOf(node), isLineStart);
    }
  }

  #styled(style: TextStyle, children: readonly PhrasingContent[]): Phrase {
    if (this.#styles.has(style)) {
      const text = this.#phrases(children);
      return this.#dialect.nestsStyles === true ? this.#dialect.styled(style, text) : text;
    }
    this.#styles.add(style);
    const text = this.#phrases(children);
    this.#styles.delete(style);
    return this.#dialect.styled(style, text);
  }

  #link(url: string, label: string, children: readonly PhrasingContent[]): Phrase {
    return this.#dialect.link({ url, label, shown: () => this.#phrases(children) });
  }
}

/** The source of a node that is shown literally: text, raw HTML, and nodes that the parser never makes. */
function sourceOf(node: Nodes): string {
  return "value" in node ? node.value : textOf(node);
}

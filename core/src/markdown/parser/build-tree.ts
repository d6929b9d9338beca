import type { Token } from "markdown-it";
import type { ListItem, Nodes, Paragraph, Root, Table } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import { linkAddresses } from "./bare-links.ts";
import { leafOf, type Parent, parentOf } from "./nodes.ts";
import { type Kind, type Steps, TooManySteps } from "./steps.ts";

/** The maximum nesting of blocks and styles: deeper than people nest, and far from a renderer's stack overflow. */
const DEEPEST = 64;

/** Nodes with a cost of their own. */
const COSTS_AS: Partial<Record<Nodes["type"], Kind>> = {
  emphasis: "style",
  strong: "style",
  delete: "style",
  table: "table",
  tableRow: "row",
  tableCell: "cell",
  code: "code",
  footnoteDefinition: "footnote",
  html: "html",
  link: "link",
  image: "link",
  blockquote: "quote",
  list: "list",
  listItem: "item",
};

const NOT_ASCII = /[^\x20-\x7e]/g;

const TASK = /^\[([ xX])\][ \t\n]+(?=\S)/;

/**
 * Builds a tree from the tokens of a text. Counts what rendering it will cost: a renderer copies a text once for each
 * block and style around it, writes an address wherever it is referenced, and fills up the rows of a table.
 */
export class TreeBuilder {
  readonly root: Root = { type: "root", children: [] };
  readonly #steps: Steps;
  readonly #lines: readonly string[];
  readonly #open: Parent[] = [this.root];
  /** Running text that may continue with the next token. */
  #text = "";

  constructor(source: string, steps: Steps) {
    this.#steps = steps;
    this.#lines = source.split(/\r\n?|\n/);
  }

  add(tokens: readonly Token[]): void {
    for (const token of tokens) {
      this.#steps.take("leaf");
      if (token.type === "inline") {
        this.add(token.children ?? []);
        this.#endText();
      } else if (token.type === "softbreak") {
        this.#text += "\n";
      } else if (token.type === "text" || token.type === "text_special") {
        this.#text += token.content;
      } else {
        this.#endText();
        if (token.nesting > 0) this.#enter(token);
        else if (token.nesting < 0) this.#leave(token);
        else this.#append(leafOf(token), token);
      }
    }
  }

  #endText(): void {
    if (this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    const isInLink = this.#open.some(({ type }) => type === "link");
    for (const node of isInLink ? [{ type: "text", value: text } as const] : linkAddresses(text)) this.#append(node);
  }

  #append(node: Nodes | null, token?: Token): void {
    const parent = this.#open.at(-1) ?? this.root;
    if (node === null) return;
    this.#steps.take(COSTS_AS[node.type] ?? "node");
    const last = parent.children.at(-1);
    if (node.type === "html" && last?.type === "html" && token?.type === "html_inline") {
      last.value += node.value;
      return;
    }
    if ("value" in node) this.#weigh(node.value);
    // An address may be defined elsewhere, and is written wherever it is referenced.
    if ("url" in node) this.#steps.grow(node.url.length);
    if (token?.map) this.#noteGap(parent, token.map[0]);
    // The parser guarantees which nodes may contain which.
    (parent.children as Nodes[]).push(node);
  }

  /** Counts the cost of a text: each of its lines gets the margin of each quote or list around it. */
  #weigh(text: string): void {
    const depth = this.#open.length - 1;
    this.#steps.take("character", text.length);
    this.#steps.take("copy", text.length * depth);
    const isInTable = this.#open.some(({ type }) => type === "tableCell");
    if (isInTable) this.#steps.take("wide", text.match(NOT_ASCII)?.length ?? 0);
    if (depth > 1) this.#steps.grow((linesIn(text) - 1) * 2 * (depth - 1));
  }

  /** Makes a list or an item loose if an empty line precedes one of its later children. */
  #noteGap(parent: Parent, line: number): void {
    if ((parent.type !== "list" && parent.type !== "listItem") || parent.children.length === 0) return;
    if (/^[\s>]*$/.test(this.#lines[line - 1] ?? "")) parent.spread = true;
  }

  #enter(token: Token): void {
    const node = parentOf(token);
    if (node === null) return;
    if (this.#open.length >= DEEPEST) throw new TooManySteps();
    if (node.type === "tableCell") this.#align(token);
    this.#append(node, token);
    this.#open.push(node);
  }

  #leave(token: Token): void {
    if (parentOf(token) === null) return;
    const node = this.#open.pop();
    const parent = this.#open.at(-1);
    if (node?.type === "paragraph" && parent?.type === "listItem") readTask(parent, node);
    if (node?.type === "table") this.#fillUp(node);
  }

  /** Reads the alignment of a column from its head cell. */
  #align({ type, attrs }: Token): void {
    const table = this.#open.at(-2);
    if (type !== "th_open" || table?.type !== "table") return;
    const [, align = null] = /text-align:(left|right|center)/.exec(String(attrs?.[0]?.[1] ?? "")) ?? [];
    table.align?.push(align as "left" | "right" | "center" | null);
  }

  /** Counts the cost of rendering a table: rows are filled up to the head's length, or repeat the head's words. */
  #fillUp({ children: rows, align }: Table): void {
    for (const { children: cells } of rows) {
      // Removes cells that the parser added.
      while (cells.length > 1 && cells.at(-1)?.children.length === 0) cells.pop();
      this.#steps.grow((align?.length ?? 0) - cells.length);
    }
    const [head] = rows;
    if (head) this.#steps.grow((rows.length - 1) * textOf(head).length);
  }
}

function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Reads `[ ]` or `[x]` at the beginning of an item as a task's checkbox. */
function readTask(item: ListItem, { children: [first] }: Paragraph): void {
  if (item.children.length !== 1 || first?.type !== "text") return;
  const [box, mark] = TASK.exec(first.value) ?? [];
  if (box === undefined) return;
  item.checked = mark !== " ";
  first.value = first.value.slice(box.length);
}

import type { Token } from "markdown-it";
import type { ListItem, Nodes, Paragraph, Root, Table } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import { linkAddresses } from "./bare-links.ts";
import { leafOf, type Parent, parentOf } from "./nodes.ts";
import { type Kind, type Steps, TooManySteps } from "./steps.ts";

/** Blocks and styles in one another: deeper than people nest, and far from where a renderer runs out of stack. */
const DEEPEST = 64;

/** What costs more or less than most nodes do. */
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
 * Makes a tree of the tokens of a text. Counts what it will cost to show: a renderer copies a text once for each block
 * and style around it, writes an address wherever it is named, and fills up the rows of a table.
 */
export class TreeBuilder {
  readonly root: Root = { type: "root", children: [] };
  readonly #steps: Steps;
  readonly #lines: readonly string[];
  readonly #open: Parent[] = [this.root];
  /** Running text that may go on with the next token. */
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
    // An address may stand elsewhere, and is written wherever it is named.
    if ("url" in node) this.#steps.grow(node.url.length);
    if (token?.map) this.#noteGap(parent, token.map[0]);
    // What may stand in what is for the reader to know.
    (parent.children as Nodes[]).push(node);
  }

  /** Each line is begun once for each quote or list that it stands in. */
  #weigh(text: string): void {
    const depth = this.#open.length - 1;
    this.#steps.take("character", text.length);
    this.#steps.take("copy", text.length * depth);
    const isInTable = this.#open.some(({ type }) => type === "tableCell");
    if (isInTable) this.#steps.take("wide", text.match(NOT_ASCII)?.length ?? 0);
    if (depth > 1) this.#steps.grow((linesIn(text) - 1) * 2 * (depth - 1));
  }

  /** An empty line before what is not the first in a list or an item sets what stands in it apart. */
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

  /** The head's cells say how their columns are aligned. */
  #align({ type, attrs }: Token): void {
    const table = this.#open.at(-2);
    if (type !== "th_open" || table?.type !== "table") return;
    const [, align = null] = /text-align:(left|right|center)/.exec(String(attrs?.[0]?.[1] ?? "")) ?? [];
    table.align?.push(align as "left" | "right" | "center" | null);
  }

  /** A table is shown with rows as long as its head, or with its head's words in each row. */
  #fillUp({ children: rows, align }: Table): void {
    for (const { children: cells } of rows) {
      // Cells that the reader added are nothing that was written.
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

/** `[x]` at the beginning of an item is a box that is ticked. */
function readTask(item: ListItem, { children: [first] }: Paragraph): void {
  if (item.children.length !== 1 || first?.type !== "text") return;
  const [box, mark] = TASK.exec(first.value) ?? [];
  if (box === undefined) return;
  item.checked = mark !== " ";
  first.value = first.value.slice(box.length);
}

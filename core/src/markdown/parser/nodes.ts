import createMarkdownIt, { type Token } from "markdown-it";
import type { Code, Nodes, Root } from "mdast";

/** A node with children. */
export type Parent = Extract<Nodes, { children: unknown[] }>;

const { unescapeAll } = createMarkdownIt().utils;

/** The node for an opening or closing token; null if the tree has no such node. */
export function parentOf({ type, tag, attrs, meta }: Token): Parent | null {
  switch (type.replace(/_(?:open|close)$/, "")) {
    case "paragraph":
      return { type: "paragraph", children: [] };
    case "heading":
      return { type: "heading", depth: (Number(tag.slice(1)) || 1) as 1, children: [] };
    case "blockquote":
      return { type: "blockquote", children: [] };
    case "bullet_list":
      return { type: "list", ordered: false, start: null, spread: false, children: [] };
    case "ordered_list":
      return {
        type: "list",
        ordered: true,
        start: Number(attributeOf(attrs, "start") ?? 1),
        spread: false,
        children: [],
      };
    case "list_item":
      return { type: "listItem", spread: false, checked: null, children: [] };
    case "table":
      return { type: "table", align: [], children: [] };
    case "tr":
      return { type: "tableRow", children: [] };
    case "th":
    case "td":
      return { type: "tableCell", children: [] };
    case "footnote":
      return { type: "footnoteDefinition", ...footnoteOf(meta), children: [] };
    case "strong":
      return { type: "strong", children: [] };
    case "em":
      return { type: "emphasis", children: [] };
    case "s":
      return { type: "delete", children: [] };
    case "link":
      return {
        type: "link",
        url: attributeOf(attrs, "href") ?? "",
        title: attributeOf(attrs, "title"),
        children: [],
      };
    default:
      return null;
  }
}

/** The node for a token without children; null if the tree has no such node. */
export function leafOf({ type, content, info, attrs, children, meta }: Token): Exclude<Nodes, Root | Parent> | null {
  switch (type) {
    case "code_inline":
      return { type: "inlineCode", value: content };
    case "hardbreak":
      return { type: "break" };
    case "html_inline":
      return { type: "html", value: content };
    case "html_block":
      return { type: "html", value: content.replace(/\n$/, "") };
    case "hr":
      return { type: "thematicBreak" };
    case "code_block":
      return codeOf(content, "");
    case "fence":
      return codeOf(content, unescapeAll(info).trim());
    case "image":
      return {
        type: "image",
        url: attributeOf(attrs, "src") ?? "",
        title: attributeOf(attrs, "title"),
        alt: textOf(children ?? []),
      };
    case "footnote_reference":
      return { type: "footnoteReference", ...footnoteOf(meta) };
    default:
      return null;
  }
}

function codeOf(content: string, info: string): Code {
  const [, lang = "", meta = ""] = /^(\S*)\s*([\s\S]*)$/.exec(info) ?? [];
  return { type: "code", lang: lang || null, meta: meta || null, value: content.replace(/\n$/, "") };
}

function attributeOf(attrs: Token["attrs"], name: string): string | null {
  const value = attrs?.find(([key]) => key === name)?.[1];
  return value === undefined ? null : String(value);
}

function footnoteOf(meta: unknown): { readonly identifier: string; readonly label: string } {
  const label = String((meta as { readonly label?: unknown } | null)?.label ?? "");
  return { identifier: label.toLowerCase(), label };
}

/** The plain text of tokens. */
function textOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) =>
      type === "softbreak" || type === "hardbreak" ? "\n" : children === null ? content : textOf(children),
    )
    .join("");
}

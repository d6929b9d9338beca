import type { TableRow } from "mdast";
import { type BlockPart, type Dialect, knownLanguage } from "./dialect.ts";

const STYLES = { strong: "strong", emphasis: "em", delete: "del" } as const;

/** Writes Markdown as HTML, whose only attributes are addresses, the first number of a list, and languages of code. */
export const htmlDialect: Dialect<string> = {
  text: (value) => escapeHtml(value).replaceAll("\n", "<br>"),
  styled: (style, text) => element(STYLES[style], text),
  nestsStyles: true,
  code: (value) => element("code", escapeHtml(value)),
  // A link without an address is only its label.
  link: ({ url, label, shown }) => {
    if (url.trim() === "") return shown();
    return `<a href="${escapeHtml(url)}">${label.trim() === "" ? escapeHtml(url) : shown()}</a>`;
  },
  phrases: (nodes, write) => nodes.map((node) => write(node)).join(""),

  paragraph: (text, isTight) => (isTight ? text : element("p", text)),
  heading: (depth, text) => element(`h${depth}`, text()),
  codeBlock: (value, language) => {
    const known = knownLanguage(language);
    return `<pre><code${known === null ? "" : ` class="language-${known}"`}>${escapeHtml(value)}\n</code></pre>`;
  },
  table: ({ children: [head, ...body] }, cell) => {
    const row = ({ children }: TableRow, name: "th" | "td") =>
      element("tr", children.map((one) => element(name, cell(one))).join(""));
    const rows = body.map((one) => row(one, "td")).join("");
    return element("table", (head ? element("thead", row(head, "th")) : "") + element("tbody", rows));
  },
  list: (items, { ordered, start }) => {
    const first = (start ?? 1) === 1 ? "" : ` start="${start}"`;
    return ordered ? `<ol${first}>${items.join("")}</ol>` : element("ul", items.join(""));
  },
  // As text: hardly any app permits checkboxes in HTML.
  item: ({ box, parts }) => element("li", (box === "" ? "" : `${box} `) + joined(parts)),
  quote: (parts) => element("blockquote", joined(parts)),
  rule: () => "<hr>",
  footnote: (label, text) => element("p", `[${escapeHtml(label)}] ${text}`),
  blocks: joined,
};

function joined(parts: readonly BlockPart<string>[]): string {
  return parts.map(({ block }) => block).join("");
}

function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

import { fromHtml } from "hast-util-from-html";

type Node = ReturnType<typeof fromHtml> | ReturnType<typeof fromHtml>["children"][number];

const BLOCKS = new Set([
  "p",
  "div",
  "ul",
  "ol",
  "li",
  "table",
  "tr",
  "pre",
  "blockquote",
  "hr",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
]);

/** What a person reads of a formatted message: the text, a line for each block. */
export function readHtml(html: string): string {
  return textOf(fromHtml(html, { fragment: true }))
    .replaceAll(/\n{2,}/g, "\n")
    .trim();
}

/** The addresses of its links. */
export function hrefsIn(html: string): string[] {
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (node.type === "element" && node.properties.href !== undefined) found.push(String(node.properties.href));
    if ("children" in node) node.children.forEach(visit);
  };
  visit(fromHtml(html, { fragment: true }));
  return found;
}

function textOf(node: Node): string {
  if (node.type === "text") return node.value;
  if (!("children" in node)) return "";
  const inner = node.children.map(textOf).join("");
  if (node.type !== "element") return inner;
  if (node.tagName === "br") return "\n";
  if (node.tagName === "td" || node.tagName === "th") return `${inner} `;
  return BLOCKS.has(node.tagName) ? `\n${inner}\n` : inner;
}

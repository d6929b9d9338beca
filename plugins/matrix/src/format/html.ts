import type { ListItem, PhrasingContent, Root, RootContent, Table, TableRow } from "@hermes/core/markdown";
import { textOf } from "@hermes/core/markdown";

/** A language that apps can make use of; anything else is left out. */
const LANGUAGE = /^[\w+#.-]{1,32}$/;

/**
 * Markdown as the HTML that Matrix permits ("m.room.message msgtypes"); null where it says no more than the plain text
 * does, since apps show HTML without markup as oddly as none.
 */
export function toHtml(root: Root): string | null {
  const [first, ...more] = root.children;
  if (first === undefined) return null;
  if (more.length === 0 && first.type === "paragraph") {
    return isPlain(first.children) ? null : inline(first.children);
  }
  const isProse = root.children.every((node) => node.type === "paragraph" && isPlain(node.children));
  return isProse ? null : blocks(root.children);
}

function isPlain(nodes: readonly PhrasingContent[]): boolean {
  return nodes.every(({ type }) => type === "text" || type === "html" || type === "break");
}

function blocks(nodes: readonly RootContent[]): string {
  return nodes.map((node) => block(node)).join("");
}

function block(node: RootContent): string {
  switch (node.type) {
    case "paragraph":
      return `<p>${inline(node.children)}</p>`;
    case "heading":
      return element(`h${node.depth}`, inline(node.children));
    case "code":
      return codeBlock(node.value, node.lang);
    case "table":
      return table(node);
    case "list": {
      const items = node.children.map((item) => listItem(item)).join("");
      const start = node.start ?? 1;
      return node.ordered ? `<ol${start === 1 ? "" : ` start="${start}"`}>${items}</ol>` : `<ul>${items}</ul>`;
    }
    case "blockquote":
      return element("blockquote", blocks(node.children));
    case "thematicBreak":
      return "<hr>";
    case "html":
      return element("p", escapeHtml(node.value));
    case "footnoteDefinition":
      return element("p", `[${escapeHtml(node.label ?? node.identifier)}] ${blocks(node.children)}`);
    default:
      return "";
  }
}

function codeBlock(value: string, language: string | null | undefined): string {
  const known = language && LANGUAGE.test(language) ? ` class="language-${language}"` : "";
  return `<pre><code${known}>${escapeHtml(value)}\n</code></pre>`;
}

function listItem({ checked, children, spread }: ListItem): string {
  // Apps permit no boxes to tick.
  const box = checked === true ? "☑ " : checked === false ? "☐ " : "";
  const content = children.map((node) => (node.type === "paragraph" && !spread ? inline(node.children) : block(node)));
  return element("li", box + content.join(""));
}

function table({ children: [head, ...body] }: Table): string {
  const row = ({ children }: TableRow, cell: "th" | "td") =>
    element("tr", children.map((one) => element(cell, inline(one.children))).join(""));
  const rows = body.map((one) => row(one, "td")).join("");
  return element("table", (head ? element("thead", row(head, "th")) : "") + element("tbody", rows));
}

function inline(nodes: readonly PhrasingContent[]): string {
  return nodes.map((node) => phrase(node)).join("");
}

function phrase(node: PhrasingContent): string {
  switch (node.type) {
    case "text":
    case "html":
      return escapeHtml(node.value).replaceAll("\n", "<br>");
    case "break":
      return "<br>";
    case "strong":
      return element("strong", inline(node.children));
    case "emphasis":
      return element("em", inline(node.children));
    case "delete":
      return element("del", inline(node.children));
    case "inlineCode":
      return element("code", escapeHtml(node.value));
    case "link":
      return link(node.url, inline(node.children), textOf(node));
    case "image":
      return link(node.url, escapeHtml(node.alt ?? ""), node.alt ?? "");
    case "footnoteReference":
      return `[${escapeHtml(node.label ?? node.identifier)}]`;
    default:
      return "";
  }
}

/** A link; the text alone where a reference leads nowhere. */
function link(url: string, html: string, text: string): string {
  if (text.trim() === "" && url.trim() !== "") return link(url, escapeHtml(url), url);
  return url.trim() === "" ? html : `<a href="${escapeHtml(url)}">${html}</a>`;
}

function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

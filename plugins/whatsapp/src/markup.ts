import { codeSpan } from "@hermes/core/markdown";

/**
 * WhatsApp's own markup, read into a tree ("How to format your messages"). A mark counts only at the edges of words and
 * within one line, so a lone `*` and `snake_case` stay what they are; code is left alone. There is no way to escape.
 */
type MarkupNode =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "bold" | "italic" | "strike"; readonly children: readonly MarkupNode[] }
  | { readonly type: "code" | "pre"; readonly value: string };

type Mark = "*" | "_" | "~";

const CODE = /```([\s\S]+?)```|`([^`\n]+)`/y;

const SIGNS = /[*_~`\n]/g;

const MARKS = ["*", "_", "~"] as const;

/** Of a mark that is not open. */
const NOWHERE = -1;

const STYLE = { "*": "bold", _: "italic", "~": "strike" } as const;

/** Its time grows in proportion to the length of the text, since strangers write it. No style stands within itself. */
function parseMarkup(text: string): MarkupNode[] {
  const nodes: MarkupNode[] = [];
  /** Where the marks that may still be closed stand among the nodes, as the characters that they are until then. */
  const open: Record<Mark, number> = { "*": NOWHERE, _: NOWHERE, "~": NOWHERE };
  /** Where the text begins that is no node yet. */
  let from = 0;
  const endText = (end: number) => {
    if (end > from) nodes.push({ type: "text", value: text.slice(from, end) });
  };
  const close = (mark: Mark, end: number) => {
    const opened = open[mark];
    endText(end);
    const children = nodes.slice(opened + 1);
    nodes.length = opened;
    nodes.push({ type: STYLE[mark], children });
    for (const other of MARKS) if (open[other] >= opened) open[other] = NOWHERE;
  };

  const signs = new RegExp(SIGNS);
  while (signs.test(text)) {
    const at = signs.lastIndex - 1;
    const character = text.charAt(at);
    if (character === "`") {
      CODE.lastIndex = at;
      const [source, pre, code] = CODE.exec(text) ?? [];
      if (source === undefined) continue;
      endText(at);
      nodes.push(
        code === undefined
          ? { type: "pre", value: (pre ?? "").replace(/^\n/, "").replace(/\n$/, "") }
          : { type: "code", value: code },
      );
      from = at + source.length;
      signs.lastIndex = from;
    } else if (character === "\n") {
      // No mark reaches over the end of a line.
      for (const each of MARKS) open[each] = NOWHERE;
    } else if (isMark(character)) {
      if (open[character] !== NOWHERE && canClose(text, at)) {
        close(character, at);
        from = at + 1;
      } else if (canOpen(text, at)) {
        endText(at);
        open[character] = nodes.length;
        nodes.push({ type: "text", value: character });
        from = at + 1;
      }
    }
  }
  endText(text.length);
  return nodes;
}

/** What people read: the marks are gone. */
export function plainText(text: string): string {
  return parseMarkup(text).map(plainTextOf).join("");
}

function plainTextOf(node: MarkupNode): string {
  return "children" in node ? node.children.map(plainTextOf).join("") : node.value;
}

function isMark(character: string): character is Mark {
  return character === "*" || character === "_" || character === "~";
}

function canOpen(text: string, at: number): boolean {
  return !isWord(text, at - 1) && !isSpace(text, at + 1) && text[at + 1] !== text[at];
}

function canClose(text: string, at: number): boolean {
  return !isWord(text, at + 1) && !isSpace(text, at - 1) && text[at - 1] !== text[at];
}

/** Beyond the ends of a text there is a space. */
function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code > 32 && code < 0x80) return false;
  return /^\s?$/.test(text.charAt(at));
}

function isWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 0x80) return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}

/** WhatsApp's markup as Markdown. Lists and quotes are written alike in both. */
export function toMarkdown(text: string): string {
  return parseMarkup(text).map(markdownOf).join("");
}

function markdownOf(node: MarkupNode): string {
  switch (node.type) {
    case "text":
      return node.value;
    case "bold":
      return `**${node.children.map(markdownOf).join("")}**`;
    case "italic":
      return `_${node.children.map(markdownOf).join("")}_`;
    case "strike":
      return `~~${node.children.map(markdownOf).join("")}~~`;
    case "code":
      return codeSpan(node.value);
    case "pre":
      return `\`\`\`\n${node.value}\n\`\`\``;
  }
}

const SIGN = { bold: "*", italic: "_", strike: "~" } as const;

/**
 * Text that is to be read as it stands. WhatsApp cannot be told that a mark is none, so what it would take for markup
 * is shown as code, where every character counts.
 */
export function asLiteral(text: string): string {
  if (!/[*_~`]/.test(text)) return text;
  return parseMarkup(text).map(literalOf).join("");
}

function literalOf(node: MarkupNode): string {
  switch (node.type) {
    case "text":
      return node.value;
    case "code":
      return `\`${node.value}\``;
    case "pre":
      return `\`\`\`${node.value}\`\`\``;
    default:
      return node.children.some(hasCode) ? sourceOf(node) : `\`${sourceOf(node)}\``;
  }
}

function hasCode(node: MarkupNode): boolean {
  return "children" in node ? node.children.some(hasCode) : node.type !== "text" || node.value.includes("`");
}

function sourceOf(node: MarkupNode): string {
  if (!("children" in node)) return node.type === "text" ? node.value : literalOf(node);
  return `${SIGN[node.type]}${node.children.map(sourceOf).join("")}${SIGN[node.type]}`;
}

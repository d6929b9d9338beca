/**
 * WhatsApp's own markup, read into a tree ("How to format your messages"). A mark counts only at the edges of words and
 * within one line, so a lone `*` and `snake_case` stay what they are; code is left alone. There is no way to escape.
 */
export type MarkupNode =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "bold" | "italic" | "strike"; readonly children: readonly MarkupNode[] }
  | { readonly type: "code" | "pre"; readonly value: string };

type Mark = "*" | "_" | "~";

const TOKEN = /```([\s\S]+?)```|`([^`\n]+)`|([*_~])|\n/g;

const STYLE = { "*": "bold", _: "italic", "~": "strike" } as const;

/** Its time grows in proportion to the length of the text, since strangers write it. No style stands within itself. */
export function parseMarkup(text: string): MarkupNode[] {
  const nodes: MarkupNode[] = [];
  /** Where the marks that may still be closed stand among the nodes, as the characters that they are until then. */
  const open = new Map<Mark, number>();
  const addText = (value: string) => value !== "" && nodes.push({ type: "text", value });
  const close = (mark: Mark): boolean => {
    const from = open.get(mark);
    if (from === undefined) return false;
    const [, ...children] = nodes.splice(from);
    nodes.push({ type: STYLE[mark], children });
    for (const [other, at] of open) if (at >= from) open.delete(other);
    return true;
  };

  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    addText(text.slice(at, match.index));
    at = match.index + match[0].length;
    const [token, pre, code, mark] = match;
    if (pre !== undefined) nodes.push({ type: "pre", value: pre.replace(/^\n/, "").replace(/\n$/, "") });
    else if (code !== undefined) nodes.push({ type: "code", value: code });
    else if (mark === undefined) {
      // No mark reaches over the end of a line.
      open.clear();
      addText(token);
    } else if (!(canClose(text, match.index) && close(mark as Mark))) {
      if (canOpen(text, match.index)) open.set(mark as Mark, nodes.length);
      addText(token);
    }
  }
  addText(text.slice(at));
  return nodes;
}

/** What people read: the marks are gone. */
export function plainText(text: string): string {
  return parseMarkup(text).map(plainTextOf).join("");
}

function plainTextOf(node: MarkupNode): string {
  return "children" in node ? node.children.map(plainTextOf).join("") : node.value;
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

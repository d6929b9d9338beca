/**
 * WhatsApp's own markup, read into a tree ("How to format your messages"). A mark counts only at the edges of words and
 * within one line, so a lone `*` and `snake_case` stay what they are; code is left alone. There is no way to escape.
 */
export type MarkupNode =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "bold" | "italic" | "strike"; readonly children: readonly MarkupNode[] }
  | { readonly type: "code" | "pre"; readonly value: string };

type Mark = "*" | "_" | "~";

interface Frame {
  /** Null for the whole text. */
  readonly mark: Mark | null;
  readonly children: MarkupNode[];
}

const TOKEN = /```([\s\S]+?)```|`([^`\n]+)`|([*_~])|\n/g;

const STYLE = { "*": "bold", _: "italic", "~": "strike" } as const;

export function parseMarkup(text: string): MarkupNode[] {
  const whole: Frame = { mark: null, children: [] };
  const open: Frame[] = [];
  const add = (node: MarkupNode) => (open.at(-1) ?? whole).children.push(node);
  const addText = (value: string) => value !== "" && add({ type: "text", value });
  /** A mark that nothing closed is a character like others. */
  const unfold = () => {
    const frame = open.pop();
    if (!frame) return;
    addText(frame.mark ?? "");
    for (const child of frame.children) add(child);
  };
  const close = (mark: Mark): boolean => {
    const opened = open.findLastIndex((frame) => frame.mark === mark);
    if (opened < 0) return false;
    while (open.length - 1 > opened) unfold();
    const frame = open.pop();
    if (frame) add({ type: STYLE[mark], children: frame.children });
    return true;
  };

  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    addText(text.slice(at, match.index));
    at = match.index + match[0].length;
    const [token, pre, code, mark] = match;
    if (pre !== undefined) add({ type: "pre", value: pre.replace(/^\n/, "").replace(/\n$/, "") });
    else if (code !== undefined) add({ type: "code", value: code });
    else if (mark === undefined) {
      // No mark reaches over the end of a line.
      while (open.length > 0) unfold();
      addText(token);
    } else if (!(canClose(text, match.index) && close(mark as Mark))) {
      if (canOpen(text, match.index)) open.push({ mark: mark as Mark, children: [] });
      else addText(token);
    }
  }
  addText(text.slice(at));
  while (open.length > 0) unfold();
  return whole.children;
}

/** What people read: the marks are gone. */
export function plainText(text: string): string {
  return parseMarkup(text).map(plainTextOf).join("");
}

function plainTextOf(node: MarkupNode): string {
  return "children" in node ? node.children.map(plainTextOf).join("") : node.value;
}

function canOpen(text: string, at: number): boolean {
  return !isWord(text, at - 1) && /^[^\s]/.test(text.charAt(at + 1)) && text.charAt(at + 1) !== text.charAt(at);
}

function canClose(text: string, at: number): boolean {
  return !isWord(text, at + 1) && /[^\s]$/.test(text.charAt(at - 1)) && text.charAt(at - 1) !== text.charAt(at);
}

function isWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}

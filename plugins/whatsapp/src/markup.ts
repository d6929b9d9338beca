import { codeSpan } from "@hermes/core/markdown";

/**
 * A stretch of WhatsApp's own markup, marks included ("How to format your messages"). A mark counts only at the edges of
 * words and within one line, so a lone `*` and `snake_case` stay what they are; code is left alone. There is no way to
 * escape.
 */
interface Styled {
  readonly type: "bold" | "italic" | "strike";
  readonly from: number;
  readonly to: number;
  readonly children: readonly Span[];
}

interface Code {
  readonly type: "code" | "pre";
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

type Span = Styled | Code;

type Mark = "*" | "_" | "~";

const CODE = /```([\s\S]+?)```|`([^`\n]+)`/y;

/** Of a mark that is not open. */
const NOWHERE = -1;

const STYLE = { "*": "bold", _: "italic", "~": "strike" } as const;

/** Its time grows in proportion to the length of the text, since strangers write it. No style stands within itself. */
function parseMarkup(text: string): readonly Span[] {
  const spans: Span[] = [];
  /** Where the marks stand that may still be closed. */
  const open: Record<Mark, number> = { "*": NOWHERE, _: NOWHERE, "~": NOWHERE };
  const closeAll = (from: number) => {
    if (open["*"] >= from) open["*"] = NOWHERE;
    if (open._ >= from) open._ = NOWHERE;
    if (open["~"] >= from) open["~"] = NOWHERE;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "`") {
      const code = codeAt(text, at);
      if (code === null) continue;
      spans.push(code);
      at = code.to - 1;
    } else if (character === "\n") {
      // No mark reaches over the end of a line.
      closeAll(0);
    } else if (isMark(character)) {
      const from = open[character];
      if (from !== NOWHERE && canClose(text, at)) {
        spans.push({ type: STYLE[character], from, to: at + 1, children: takeFrom(spans, from) });
        closeAll(from);
      } else if (canOpen(text, at)) {
        open[character] = at;
      }
    }
  }
  return spans;
}

function codeAt(text: string, at: number): Code | null {
  CODE.lastIndex = at;
  const [source, pre, code] = CODE.exec(text) ?? [];
  if (source === undefined) return null;
  const to = at + source.length;
  if (code !== undefined) return { type: "code", from: at, to, value: code };
  return { type: "pre", from: at, to, value: (pre ?? "").replace(/^\n/, "").replace(/\n$/, "") };
}

const NONE: readonly Span[] = [];

/** Takes the spans that begin behind `from` away from the end of `spans`. */
function takeFrom(spans: Span[], from: number): readonly Span[] {
  let first = spans.length;
  while (first > 0 && (spans[first - 1]?.from ?? 0) > from) first--;
  return first === spans.length ? NONE : spans.splice(first);
}

/** The text between `from` and `to`, with `write` in the place of each of the `spans` there. */
function rewrite(
  text: string,
  spans: readonly Span[],
  write: (span: Span) => string,
  from = 0,
  to = text.length,
): string {
  let written = "";
  let at = from;
  for (const span of spans) {
    written += text.slice(at, span.from) + write(span);
    at = span.to;
  }
  return written + text.slice(at, to);
}

/** What people read: the marks are gone. */
export function plainText(text: string): string {
  const write = (span: Span): string =>
    "value" in span ? span.value : rewrite(text, span.children, write, span.from + 1, span.to - 1);
  return rewrite(text, parseMarkup(text), write);
}

function isMark(character: string | undefined): character is Mark {
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

const MARKDOWN = { bold: "**", italic: "_", strike: "~~" } as const;

/** WhatsApp's markup as Markdown. Lists and quotes are written alike in both. */
export function toMarkdown(text: string): string {
  const write = (span: Span): string => {
    if (!("children" in span)) return span.type === "code" ? codeSpan(span.value) : `\`\`\`\n${span.value}\n\`\`\``;
    const mark = MARKDOWN[span.type];
    return mark + rewrite(text, span.children, write, span.from + 1, span.to - 1) + mark;
  };
  return rewrite(text, parseMarkup(text), write);
}

/**
 * Text that is to be read as it stands. WhatsApp cannot be told that a mark is none, so what it would take for markup
 * is shown as code, where every character counts.
 */
export function asLiteral(text: string): string {
  if (!/[*_~`]/.test(text)) return text;
  return rewrite(text, parseMarkup(text), ({ from, to }) => {
    const source = text.slice(from, to);
    return source.includes("`") ? source : `\`${source}\``;
  });
}

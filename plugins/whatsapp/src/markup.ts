import { codeSpan } from "@hermes/core/markdown";

/**
 * A span of WhatsApp's own markup, marks included ("How to format your messages"). A mark counts only at the edges of
 * words and within one line, so a lone `*` and `snake_case` are text; code is left unchanged. Nothing can be escaped.
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

/** The position of a mark that is not open. */
const NOWHERE = -1;

const STYLE = { "*": "bold", _: "italic", "~": "strike" } as const;

/** Parses in linear time, since strangers write the text. No style is nested in itself. */
function parseMarkup(text: string): readonly Span[] {
  const spans: Span[] = [];
  /** The positions of open marks. */
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
      // Marks do not span lines.
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

/** Removes and returns the spans at the end of `spans` that begin after `from`. */
function takeFrom(spans: Span[], from: number): readonly Span[] {
  let first = spans.length;
  while (first > 0 && (spans[first - 1]?.from ?? 0) > from) first--;
  return first === spans.length ? NONE : spans.splice(first);
}

/** Returns the text between `from` and `to`, with each of `spans` replaced by `write`. */
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

/** Returns the text as people read it, without marks. */
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

/** Whether there is a space at `at`; beyond the ends of the text, there is. */
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

/** Converts WhatsApp's markup to Markdown. Lists and quotes are the same in both. */
export function toMarkdown(text: string): string {
  const write = (span: Span): string => {
    if (!("children" in span)) return span.type === "code" ? codeSpan(span.value) : `\`\`\`\n${span.value}\n\`\`\``;
    const mark = MARKDOWN[span.type];
    return mark + rewrite(text, span.children, write, span.from + 1, span.to - 1) + mark;
  };
  return rewrite(text, parseMarkup(text), write);
}

/**
 * Formats text so that it is shown unchanged. WhatsApp has no escapes, so what it would read as markup is shown as
 * code.
 */
export function asLiteral(text: string): string {
  if (!/[*_~`]/.test(text)) return text;
  return rewrite(text, parseMarkup(text), ({ from, to }) => {
    const source = text.slice(from, to);
    return source.includes("`") ? source : `\`${source}\``;
  });
}

import { type OutboundMessage, type Piece, shorten } from "@hermes/core";
import {
  htmlDialect,
  type PhrasingContent,
  parseMarkdown,
  type Root,
  type RootContent,
  renderMarkdown,
  splitText,
  textOf,
} from "@hermes/core/markdown";
import { type Content, stringOf } from "./wire.ts";

/**
 * What text and HTML of a message may have together, as JSON, in bytes. An event has 65,536 ("Size limits"); encrypting
 * makes four bytes of three, and some are for the envelope.
 */
export const TEXT_LIMIT = { length: 40_000, unit: "bytes" } as const;

/** The messages that say what `message` says: formatted, and cut to what an event holds. */
export function render({ kind, markdown, files = [] }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  const pieces = split(markdown, TEXT_LIMIT.length, root);
  // A notice of Hermes itself is one to apps too: shown more quietly, and answered by no other program.
  const msgtype = kind === "notice" ? { msgtype: "m.notice" } : {};
  return [
    ...pieces.map((piece) => withExtra(piece, msgtype)),
    ...files.map((file) => ({ text: file.caption ?? "", file })),
  ];
}

/** Cuts Markdown, so that code blocks and words stay whole, until each part fits with its HTML. */
function split(markdown: string, length: number, root?: Root): Piece[] {
  return splitText(markdown, { length, unit: TEXT_LIMIT.unit }).flatMap((part) => {
    const piece = toPiece(part, root && part === markdown ? root : parseMarkdown(part));
    if (piece.text.trim() === "") return [];
    const size = sizeOf(piece);
    if (size <= TEXT_LIMIT.length) return [piece];
    const bytes = Buffer.byteLength(part);
    if (length <= SMALLEST_PART || size > MOST_GROWTH * bytes) return withoutHtml(part);
    // By how much the HTML is larger than the text it is made of, and a little more.
    return split(part, Math.max(SMALLEST_PART, Math.floor((bytes * TEXT_LIMIT.length * 0.9) / size)));
  });
}

/** The smallest part that a text is split into, in bytes, for the sake of its HTML. */
const SMALLEST_PART = 1_000;

/** HTML out of all proportion is left out: that of references that name one long address again and again, say. */
const MOST_GROWTH = 4;

/** Fits although each byte should be six in JSON. */
function withoutHtml(markdown: string): Piece[] {
  return splitText(markdown, { length: Math.floor(TEXT_LIMIT.length / 6), unit: TEXT_LIMIT.unit })
    .map((text) => ({ text: text.trim() }))
    .filter(({ text }) => text !== "");
}

function toPiece(markdown: string, root: Root): Piece {
  const html = toHtml(root);
  if (html === null) return { text: textLines(root) };
  // Text for clients without HTML and for notifications: Markdown reads well as it stands.
  return { text: markdown.trim(), extra: { html } };
}

/**
 * A tree as the HTML that Matrix permits ("m.room.message msgtypes"); null where it says no more than the plain text
 * does, since apps show HTML without markup as oddly as none.
 */
function toHtml(root: Root): string | null {
  if (root.children.every(isProse)) return null;
  const isOneLine = root.children.length === 1 && root.children[0]?.type === "paragraph";
  return renderMarkdown(root, isOneLine ? { ...htmlDialect, paragraph: (text) => text } : htmlDialect);
}

function isProse(node: RootContent): boolean {
  return node.type === "paragraph" && node.children.every(isPlain);
}

function isPlain({ type }: PhrasingContent): boolean {
  return type === "text" || type === "html" || type === "break";
}

/** Prose as plain text: what was escaped in Markdown stands as it is meant. */
function textLines({ children }: Root): string {
  const lines = children.map((node) =>
    "children" in node ? node.children.map((child) => (child.type === "break" ? "\n" : textOf(child))).join("") : "",
  );
  return lines.join("\n\n");
}

function withExtra({ text, extra }: Piece, more: Readonly<Record<string, unknown>>): Piece {
  const all = { ...extra, ...more };
  return Object.keys(all).length > 0 ? { text, extra: all } : { text };
}

function sizeOf({ text, extra }: Piece): number {
  return Buffer.byteLength(JSON.stringify(text)) + Buffer.byteLength(JSON.stringify(extra?.html ?? ""));
}

/** A piece as the content of a message ("m.room.message"). The body is always there, and always plain text. */
export function contentOf({ text, extra = {} }: Piece): Content {
  const html = stringOf(extra.html);
  return {
    msgtype: stringOf(extra.msgtype) ?? "m.text",
    body: text,
    ...(html === undefined ? {} : { format: "org.matrix.custom.html", formatted_body: html }),
    // A name in an answer must not notify anyone.
    "m.mentions": {},
  };
}

/** Characters of what a thread is called; there is no limit, but apps show one line. */
const LONGEST_NAME = 120;

/**
 * A title as the first message of a thread: on one line, without characters that cannot be seen, cut between
 * characters.
 */
export function threadName(title: string): string {
  const line = title
    .toWellFormed()
    // Joiners make one character of several, in names of many languages and in emoji.
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, (run) => (/^[\u200c\u200d]$/.test(run) ? run : " "))
    .trim();
  return shorten(line, LONGEST_NAME) || "New session";
}

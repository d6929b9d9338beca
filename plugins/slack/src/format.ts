import type { OutboundMessage, Piece } from "@hermes/core";
import {
  isBareLink,
  joinLines,
  type LinkParts,
  parseMarkdown,
  renderMarkdown,
  splitText,
  textDialect,
} from "@hermes/core/markdown";
import { encode, plainText } from "./mrkdwn.ts";

/**
 * The longest text of one message, in Slack's markup. Slack refuses blocks whose texts come to some 12,000 characters
 * (`msg_blocks_too_long`, which it does not document); this stays well below.
 */
export const TEXT_LIMIT = { length: 8_000, unit: "utf16" } as const;

/** A section has 3,000 characters at most ("Section block"). */
const SECTION_LENGTH = 2_900;

/** `text` beside blocks is for notifications; a change refuses more than 4,000 characters of it. */
const SUMMARY_LENGTH = 1_000;

/** A cut that would fall into a link is made earlier, but not before this share of the longest text. */
const EARLIEST_CUT = 0.5;

/** Slack's own markup ("Formatting message text"). */
export const dialect = textDialect({
  escape: encode,
  escapeCode: encode,
  marks: { strong: "*", emphasis: "_", delete: "~" },
  bullets: ["•"],
  link: linkOf,
});

/** `<!channel>` and the like can never come of a link, since the address of one has a scheme. */
function linkOf({ url, label }: LinkParts<string>): string {
  const text = joinLines(label).trim();
  const target = encode(url.replaceAll(/[\s<>|]/g, encodeURIComponent));
  return text === "" || isBareLink({ url, label: text }) ? `<${target}>` : `<${target}|${encode(text)}>`;
}

/** The pieces of a message in Slack's markup, and each of its files as one. */
export function render({ markdown, files = [], choices }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  // A text that is all definitions, say, shows nothing; its source says more than silence.
  const text = renderMarkdown(root, dialect) || encode(markdown.trim());
  const pieces: Piece[] = splitMrkdwn(text, TEXT_LIMIT.length).map((part, index, { length }) => ({
    text: part,
    ...(choices && index === length - 1 ? { extra: { choices } } : {}),
  }));
  return [...pieces, ...files.map((file) => ({ text: file.caption ?? "", file }))];
}

/** A section block, as far as Hermes uses it. */
export interface Section {
  readonly type: "section";
  readonly text: { readonly type: "mrkdwn"; readonly text: string };
  /** Not folded behind "see more". */
  readonly expand: true;
}

/** The blocks and the summary of a piece's text. */
export function contentOf(text: string): { readonly text: string; readonly blocks: readonly Section[] } {
  const blocks = splitMrkdwn(text, SECTION_LENGTH).map(
    (part): Section => ({ type: "section", text: { type: "mrkdwn", text: part }, expand: true }),
  );
  return { text: splitText(text, { length: SUMMARY_LENGTH, unit: "utf16" })[0] ?? "", blocks };
}

/** The same words without any markup or buttons, for when Slack refuses the blocks. */
export function plainContentOf(text: string): { readonly text: string; readonly mrkdwn: false } {
  return { text: encode(plainText(text)), mrkdwn: false };
}

/** Stands for a space where the text is not to be cut; no text has it, since it is no character. */
const NO_CUT = "\ufdd0";

const FENCE = "```";

/** What is looked at behind the longest part, to see whether it is a good place to end it. */
const BEHIND_THE_CUT = 500;

/** The beginning of a link or of an escaped character, with its end missing. */
const TOKEN_AT_END = /<[^<>\n]*$|&\w{0,4}$/;

/** Cuts text in Slack's markup; never within a link or an escaped character. */
function splitMrkdwn(text: string, length: number): string[] {
  const parts: string[] = [];
  let rest = text.replaceAll(/<[^<>\n]*>/g, (link) => link.replaceAll(" ", NO_CUT));
  while (rest.length > length) {
    const part = firstPart(rest, length);
    parts.push(part);
    rest = restBehind(part, rest);
  }
  if (rest !== "") parts.push(rest);
  return parts.map((part) => part.replaceAll(NO_CUT, " "));
}

/** Where there is no space to cut at for long, a cut may fall into a link; then it is made earlier. */
function firstPart(text: string, length: number): string {
  const near = text.slice(0, length + BEHIND_THE_CUT);
  let part = "";
  for (let limit = length; limit > length * EARLIEST_CUT; ) {
    part = splitText(near, { length: limit, unit: "utf16" })[0] ?? "";
    const token = part.search(TOKEN_AT_END);
    if (token < 0) break;
    limit = Math.min(limit - 1, token);
  }
  return part;
}

/** What comes behind the first part; in a code block that was cut, with its fence opened again. */
function restBehind(part: string, text: string): string {
  if (text.startsWith(part)) return text.slice(part.length);
  const closings = [FENCE, `\n${FENCE}`].map((closing) => part.slice(0, -closing.length));
  const own = closings.find((candidate) => text.startsWith(candidate)) ?? part;
  return `${FENCE}\n${text.slice(own.length)}`;
}

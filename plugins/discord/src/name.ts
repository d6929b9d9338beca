/** The longest name of a thread (API reference, "Start Thread without Message"), in UTF-16 units. */
const NAME_LIMIT = 100;

const NAMELESS = "Session";

/** Users, roles and channels as they stand in raw text. */
const MENTION = /<(?:@[!&]?|#)\d+>/g;

const characters = new Intl.Segmenter();

/** A title as the name of a thread: on one line, without mentions, 1 to 100 long, and no character cut in two. */
export function threadName(title: string): string {
  const line = title
    .toWellFormed()
    .replaceAll(MENTION, " ")
    .replaceAll(/@(?=everyone\b|here\b)/g, "")
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "")
    .trim();
  return cut(line) || NAMELESS;
}

function cut(line: string): string {
  if (line.length <= NAME_LIMIT) return line;
  let kept = "";
  for (const { segment } of characters.segment(line)) {
    if (kept.length + segment.length > NAME_LIMIT - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

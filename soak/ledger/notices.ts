/** What Hermes says in a chat about messages, by its beginning. */

/** Stands above what may have been shown before. */
const UNCERTAIN = /^This may not have reached you before:/;

/** Stands above what the platform had refused. */
const REFUSED = /^This could not be (?:sent|delivered) before/;

/** Says of a message, which it names, that it was not answered and may be sent again. */
const CLOSED = /\bSend it again\b/;

/** Tells whoever wrote last that there is no answer, without naming the message. */
const NO_ANSWER = [
  /^This session is in the terminal: its handoff did not succeed/,
  /^Hermes cannot reach its store just now/,
  /^The model /,
];

export type NoticeKind = "uncertain" | "refused" | "closed" | "no answer";

export function noticeKind(text: string): NoticeKind | null {
  const said = text.trim();
  if (UNCERTAIN.test(said)) return "uncertain";
  if (REFUSED.test(said)) return "refused";
  if (CLOSED.test(said)) return "closed";
  return NO_ANSWER.some((notice) => notice.test(said)) ? "no answer" : null;
}

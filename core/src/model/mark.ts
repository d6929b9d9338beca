/**
 * Hermes' own words within a transcript, such as `⟦from "Ada"⟧`: who wrote, what was attached, what became of a turn.
 * The brackets are Hermes' alone. They are taken out of everything that comes from outside, so that nobody can pass for
 * another person, or for Hermes, by writing a mark.
 */
export function mark(text: string): string {
  return `⟦${withoutMarks(text)}⟧`;
}

/** `text` from outside, with brackets in place of those of a mark, and of the ones that a reader takes for them. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/[⟦〚]/g, "[[").replaceAll(/[⟧〛]/g, "]]");
}

/** The words alone, without Hermes' marks. */
export function leaveOutMarks(text: string): string {
  return text.replaceAll(/⟦[^⟦⟧]*⟧\n?/g, "");
}

/** Of a person's message in a transcript, what they wrote themselves: no marks, and nothing that stands behind one. */
export function ownWords(text: string): string {
  const [, words = ""] = /^(?:⟦[^⟦⟧]*⟧\n)*([^⟦]*)/.exec(text) ?? [];
  return words.trimEnd();
}

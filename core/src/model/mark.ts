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

/**
 * Of a person's message in a transcript, what they wrote themselves: no marks, and nothing that stands behind one but that
 * of the person.
 */
export function ownWords(text: string): string {
  const [, words = ""] = /^(?:⟦from [^⟦⟧]*⟧\n)?([^⟦]*)/.exec(text) ?? [];
  return words.trimEnd();
}

const NAME = /"((?:[^"\\]|\\.)*)"(?: #[0-9a-f]{6})?/g;

/**
 * A message of the transcript as people read it: who wrote it stands before it, and what else Hermes knows of it in round
 * brackets. `written` writes what comes from outside, such as a name.
 */
export function withReadableMarks(text: string, written = (words: string) => words): string {
  return text
    .replaceAll(/(^|\n)⟦from "((?:[^"\\⟦⟧]|\\.)*)"[^⟦⟧]*⟧\n?/g, (_, start: string, name: string) => {
      return `${start}${written(nameIn(name))}: `;
    })
    .replaceAll(/⟦([^⟦⟧]*)⟧/g, (_, words: string) => {
      return `(${written(words.replaceAll(NAME, (_quoted, name: string) => `“${nameIn(name)}”`))})`;
    });
}

/** A name that was quoted as JSON. */
function nameIn(quoted: string): string {
  try {
    return String(JSON.parse(`"${quoted}"`));
  } catch {
    return quoted;
  }
}

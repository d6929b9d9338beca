/**
 * Makes a mark: Hermes' own words within a transcript, such as `⟦from "Ada"⟧`. Marks say who wrote, what was attached,
 * how a turn ended. Only Hermes writes these brackets: they are removed from all text from outside, so that nobody can
 * pass for another person, or for Hermes, by writing a mark.
 */
export function mark(text: string): string {
  return `⟦${withoutMarks(text)}⟧`;
}

/** Replaces the brackets of marks, and those that look like them, in text from outside. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/[⟦〚]/g, "[[").replaceAll(/[⟧〛]/g, "]]");
}

/** A file, or what a command put out, that a message brings along: its mark, and the block below it. */
const BROUGHT_ALONG = /(⟦(?:attached: |the user ran this here)[^⟦⟧]*⟧)\n(`{3,})[^\n]*\n[\s\S]*?\n\2(?=\n|$)/g;

/** A message without the text of what it brings along: only the marks stay, which name it. */
export function withoutAttached(text: string): string {
  return text.replaceAll(BROUGHT_ALONG, "$1");
}

/** Removes Hermes' marks from `text`. */
export function leaveOutMarks(text: string): string {
  return text.replaceAll(/⟦[^⟦⟧]*⟧\n?/g, "");
}

/**
 * The words of a transcript message that its author wrote themselves: everything up to the first mark, not counting the
 * mark that names the author.
 */
export function ownWords(text: string): string {
  const [, words = ""] = /^(?:⟦from [^⟦⟧]*⟧\n)?([^⟦]*)/.exec(text) ?? [];
  return words.trimEnd();
}

const NAME = /"((?:[^"\\]|\\.)*)"(?: #[0-9a-f]{6})?/g;

/**
 * Makes the marks of a transcript message readable for people: the author's name before the text, other marks in round
 * brackets. `written` escapes what comes from outside, such as a name.
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

/** The name of who wrote a message of the transcript, by the mark before it; null without one. */
export function writerIn(text: string): string | null {
  const [, name] = /^⟦from "((?:[^"\\⟦⟧]|\\.)*)"/.exec(text) ?? [];
  return name === undefined ? null : nameIn(name);
}

/** Decodes a name that was quoted as JSON. */
function nameIn(quoted: string): string {
  try {
    return String(JSON.parse(`"${quoted}"`));
  } catch {
    return quoted;
  }
}

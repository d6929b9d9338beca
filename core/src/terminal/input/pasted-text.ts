/** Control sequences: removed whole, so that no part of them stays as text. */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)`,
  ].join("|"),
  "g",
);

/**
 * Makes text from outside fit for the input: line breaks become one character, a tab four spaces, and control sequences
 * are removed.
 */
export function pastedText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(SEQUENCES, "")
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(/(?!\n)\p{Cc}/gu, "");
}

/** Sequences that steer a terminal: they go whole, so that nothing of them is left behind as text. */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)`,
  ].join("|"),
  "g",
);

/**
 * Text from outside as it may stand in the input: line breaks are one character, a tab is four spaces, and what would steer
 * a terminal is left out.
 */
export function pastedText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(SEQUENCES, "")
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(/(?!\n)\p{Cc}/gu, "");
}

/** Text from outside on one line, without what could steer a terminal or a reader's eye. */
export function oneLine(text: string): string {
  return (
    text
      .toWellFormed()
      // Not the two joiners: they make one character of several, in names of many languages and in emoji.
      .replaceAll(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, "")
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
      .trim()
  );
}

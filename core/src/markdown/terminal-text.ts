/**
 * Text of a model or a stranger as a terminal may show it: what would steer the terminal becomes a visible sign, and
 * what would turn the order of its letters is left out. Line breaks stay, tabs become spaces.
 */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(/(?!\n)\p{Cc}/gu, signOf)
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, "");
}

/** The picture that Unicode has for a control character: ␛ for escape. */
function signOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code === 0x7f) return "\u2421";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
}

const clusters = new Intl.Segmenter();

/** The characters of a text as people see them. */
export function charactersOf(text: string): string[] {
  return Array.from(clusters.segment(text), ({ segment }) => segment);
}

/** How many columns a terminal gives to a text of one line. */
export function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return charactersOf(text).reduce((sum, character) => sum + columnsOfCharacter(character), 0);
}

/** East Asian wide and fullwidth blocks; emoji are told by their own property. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

/** How many columns a terminal gives to what people see as one character. */
export function columnsOfCharacter(character: string): number {
  if (/^[\x20-\x7e]$/.test(character)) return 1;
  if (/^[\p{Mark}\p{Cf}]/u.test(character)) return 0;
  return WIDE.test(character) || /^\p{Emoji_Presentation}|\ufe0f/u.test(character) ? 2 : 1;
}

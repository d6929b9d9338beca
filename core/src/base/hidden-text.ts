/**
 * Characters that show nothing: zero-width and filler characters, tags, variation selectors, bidirectional controls
 * (all of these are Unicode's Default_Ignorable_Code_Point), annotations and noncharacters.
 */
const HIDDEN = String.raw`[\p{DI}\ufff9-\ufffb\p{NChar}]`;

/** Scripts in which a joiner changes how the letter before it is written. */
const JOINING = ["Arab", "Syrc", "Nkoo", "Mong", "Adlm", "Rohg", "Tibt", "Mymr", "Khmr", "Sinh"]
  .concat(["Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym"])
  .map((script) => String.raw`\p{scx=${script}}`)
  .join("");

/** Hidden characters that writing needs. Each depends on the visible one before it, so that no run can spell a word. */
const NEEDED = [
  // The flags of England, Scotland and Wales: the only sequences of tags that Unicode recommends.
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  // Emoji sequences: families, professions, keycaps, and the choice between text and picture.
  String.raw`(?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d(?=\p{ExtPict})`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  // One joiner after a letter: Persian and Indic words are spelt with it.
  String.raw`(?<=[\p{L}\p{M}])(?<=[${JOINING}])[\u200c\u200d]`,
  // Variants of Mongolian letters and of Chinese characters, as in names.
  String.raw`(?<=[\u1820-\u18aa])[\u180b-\u180f]|(?<=\p{sc=Han})[\ufe00-\ufe02\u{e0100}-\u{e010f}]`,
].join("|");

// The lookahead checks the character first, for speed: nearly every one is neither hidden nor that flag.
const SPELLING = new RegExp(String.raw`(?=[\u{1f3f4}]|${HIDDEN})(?:(${NEEDED})|${HIDDEN})`, "gu");
const ANY_HIDDEN = new RegExp(HIDDEN, "u");
const HIDDEN_RUN = new RegExp(`${HIDDEN}+`, "gu");
/** Anything that may have to change: control characters, lone surrogates, line separators, hidden characters. */
const ANY_SPECIAL = new RegExp(String.raw`(?![\n\t])\p{Cc}|\p{Cs}|[\u2028\u2029]|${HIDDEN}`, "u");

/** Removes hidden characters from `text`, except those that the visible character before them needs. */
export function withoutHidden(text: string): string {
  if (!ANY_HIDDEN.test(text)) return text;
  return text.replaceAll(SPELLING, (_, needed: string | undefined) => needed ?? "");
}

/** Finds all runs of hidden characters, needed or not. */
export function hiddenRuns(text: string): Iterable<RegExpExecArray> {
  return ANY_HIDDEN.test(text) ? text.matchAll(HIDDEN_RUN) : [];
}

/**
 * Makes text of a model, a person, a plugin or an error safe for a terminal or a pipe: a control character becomes a
 * visible symbol, hidden characters are removed. Line breaks and tabs stay.
 */
export function safeText(text: string): string {
  if (!ANY_SPECIAL.test(text)) return text;
  return withoutHidden(text.toWellFormed().replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")).replaceAll(
    /(?![\n\t])\p{Cc}/gu,
    signOf,
  );
}

/** Like {@link safeText}, but loses nothing: control and hidden characters become JSON escapes such as `\u202e`. */
export function withNumbers(text: string): string {
  if (!ANY_SPECIAL.test(text)) return text;
  return text
    .replaceAll(SPELLING, (hidden, needed: string | undefined) => needed ?? numbersOf(hidden))
    .replaceAll(/(?![\n\t])\p{Cc}|[\u2028\u2029]/gu, numbersOf);
}

function numbersOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** Unicode's symbol for a control character: ␛ for escape. */
function signOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code === 0x7f) return "\u2421";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
}

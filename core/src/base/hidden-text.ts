/**
 * Characters that show nothing: zero-width and filler characters, tags, variation selectors, whatever turns the
 * direction of writing (Unicode's Default_Ignorable_Code_Point), annotations and noncharacters.
 */
const HIDDEN = String.raw`[\p{DI}\ufff9-\ufffb\p{NChar}]`;

/** Scripts in which a joiner changes how the letter before it is written. */
const JOINING = ["Arab", "Syrc", "Nkoo", "Mong", "Adlm", "Rohg", "Tibt", "Mymr", "Khmr", "Sinh"]
  .concat(["Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym"])
  .map((script) => String.raw`\p{scx=${script}}`)
  .join("");

/** What writing needs all the same. Each is bound to the visible character before it, so that no run of them says anything. */
const NEEDED = [
  // The flags of England, Scotland and Wales: the only sequences of tags that Unicode recommends.
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  // Emoji of several: families, professions, keycaps, and the choice between text and picture.
  String.raw`(?<=\p{ExtPict}[\ufe0f\p{EMod}]?)\u200d(?=\p{ExtPict})`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  // One joiner behind a letter: Persian and Indic words are spelt with it.
  String.raw`(?<=[\p{L}\p{M}])(?<=[${JOINING}])[\u200c\u200d]`,
  // Variants of Mongolian letters and of Chinese characters, as in names.
  String.raw`(?<=[\u1820-\u18aa])[\u180b-\u180f]|(?<=\p{sc=Han})[\ufe00-\ufe02\u{e0100}-\u{e010f}]`,
].join("|");

// One look at the character comes first: nearly every one is neither hidden nor that flag.
const SPELLING = new RegExp(String.raw`(?=[\u{1f3f4}]|${HIDDEN})(?:(${NEEDED})|${HIDDEN})`, "gu");
const ANY_HIDDEN = new RegExp(HIDDEN, "u");
const HIDDEN_RUN = new RegExp(`${HIDDEN}+`, "gu");
/** What may have to be changed at all: control characters, halves of surrogate pairs, line separators, what hides. */
const ANY_SPECIAL = new RegExp(String.raw`(?![\n\t])\p{Cc}|\p{Cs}|[\u2028\u2029]|${HIDDEN}`, "u");

/** `text` without characters that hide something: what stays can be seen, or belongs to one that can. */
export function withoutHidden(text: string): string {
  if (!ANY_HIDDEN.test(text)) return text;
  return text.replaceAll(SPELLING, (_, needed: string | undefined) => needed ?? "");
}

/** Where such characters stand, needed or not. */
export function hiddenRuns(text: string): Iterable<RegExpExecArray> {
  return ANY_HIDDEN.test(text) ? text.matchAll(HIDDEN_RUN) : [];
}

/**
 * Text of a model, a person, a plugin or an error as a terminal or a pipe may get it: a control character becomes a
 * visible sign, what hides is left out. Line breaks and tabs stay.
 */
export function safeText(text: string): string {
  if (!ANY_SPECIAL.test(text)) return text;
  return withoutHidden(text.toWellFormed().replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")).replaceAll(
    /(?![\n\t])\p{Cc}/gu,
    signOf,
  );
}

/** The same with nothing left out: whatever would steer or hide is written as its number (`\u202e`), as in JSON. */
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

/** The picture that Unicode has for a control character: ␛ for escape. */
function signOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code === 0x7f) return "\u2421";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
}

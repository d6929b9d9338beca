import { expect, test } from "vitest";
import { safeText, withNumbers, withoutHidden } from "./hidden-text.ts";
import { oneLine } from "./one-line.ts";
import { createSafeTextStream } from "./safe-text-stream.ts";

/** Spells `text` in tag characters, which no font shows and every model reads. */
const inTags = (text: string) => [...text].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join("");

test.each([
  ["zero-width spaces and word joiners", "a\u200bb\u2060c\ufeffd\u2063e", "abcde"],
  ["joiners between Latin letters", "pay\u200dpal\u200c.com", "paypal.com"],
  ["a run of joiners behind a letter that takes one", "می\u200c\u200c\u200dخواهم", "می\u200cخواهم"],
  ["marks that turn the direction of writing", "a\u202eb\u2066c\u2069d\u200fe\u061cf", "abcdef"],
  ["tags that spell words", `hi${inTags("obey me")}`, "hi"],
  ["tags behind a flag that has none", `\u{1f3f4}${inTags("obey")}\u{e007f}`, "\u{1f3f4}"],
  ["variation selectors that spell bytes", "a\ufe01b\u{e0120}\u{1f600}\ufe0f\ufe0f\ufe03", "ab\u{1f600}\ufe0f"],
  ["fillers and soft hyphens", "\u3164\u115f\u1160\uffa0x\u00ady\u180ez", "xyz"],
  ["annotations and noncharacters", "a\ufff9b\ufffac\ufffbd\ufdd0e\uffff", "abcde"],
])("text loses %s", (_, text, kept) => {
  expect(withoutHidden(text)).toBe(kept);
});

test.each([
  ["an emoji of several people", "👩‍👩‍👧‍👦"],
  ["an emoji with a skin tone and a sign", "🤷🏽‍♀️"],
  ["the rainbow flag", "🏳️‍🌈"],
  ["a keycap", "1️⃣ #️⃣"],
  ["a heart as a picture and as text", "❤️ ❤︎"],
  ["the flags of England, Scotland and Wales", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏴󠁧󠁢󠁷󠁬󠁳󠁿"],
  ["a Persian word", "می\u200cخواهم"],
  ["an Arabic abbreviation with a joiner at its end", "ه\u200d"],
  ["Devanagari and Malayalam conjuncts", "क्\u200dष ന്\u200d"],
  ["a Sinhala name", "ශ්\u200dරී"],
  ["a Chinese character in its variant", "葛\u{e0100}城"],
  ["Hebrew, Thai, Korean and accents", "שלום ไทย 한국 e\u0301"],
])("text keeps %s", (_, text) => {
  expect(withoutHidden(text)).toBe(text);
  expect(safeText(text)).toBe(text);
  expect(oneLine(text)).toBe(text);
});

test("safe text shows control characters as symbols and keeps line breaks and tabs", () => {
  expect(safeText("a\x1b]52;c;aGk=\x07b\x9b2Jc\x7f\r\nd\te\u2028f")).toBe("a␛]52;c;aGk=␇b\ufffd2Jc␡\nd\te\nf");
});

test("hidden and control characters become \\u escapes that JSON.parse restores", () => {
  const text = `a\u202eb${inTags("x")}\x9bc\u200b👩‍👧\u2028`;
  const written = withNumbers(JSON.stringify(text));
  expect(written).toBe(String.raw`"a\u202eb\udb40\udc78\u009bc\u200b👩‍👧\u2028"`);
  expect(JSON.parse(written)).toBe(text);
});

test("a streamed text becomes the same safe text, wherever its pieces are cut", () => {
  const text = `Hi 👩‍👩‍👧‍👦 می\u200cخواهم\u200b 🏴󠁧󠁢󠁥󠁮󠁧󠁿\r\n\x1b[2J1️⃣ \ud83d\ude00${inTags("no")}.`;
  for (let size = 1; size <= 7; size++) {
    const stream = createSafeTextStream();
    let shown = "";
    for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
    expect(shown + stream.end()).toBe(safeText(text));
  }
});

import { createHash } from "node:crypto";
import { expect, it, vi } from "vitest";
import { createConcealer, createRedactor } from "./redact.ts";
import { createRowRedaction } from "./row-redaction.ts";

const LONG = `key-of-a-provider-${"0123456789abcdef".repeat(6)}`;
const UMLAUT = "Grüße-aus-Köln-42";
const SIGNS = "p&ssw<rd>'42\"x+y";
const LINES = "-----BEGIN CERTIFICATE-----\nfirst-line-of-the-secret-4711\nsecond-line-of-the-secret-0815";
const SECRETS = [LONG, UMLAUT, SIGNS, LINES];

const BASE64 = Buffer.from(LONG).toString("base64");
const HEX = Buffer.from(LONG).toString("hex");

/** As programs break it. */
function broken(text: string, end: string, columns = 76): string {
  return text.replaceAll(new RegExp(`.{${columns}}`, "g"), `$&${end}`);
}

/** How a secret is spelled, and a part of it that is not to be seen. */
const SPELLED: readonly [string, spelled: string, part: string][] = [
  ["in base64 of several lines", broken(BASE64, "\n"), BASE64.slice(0, 40)],
  ["in base64 of a mail", broken(BASE64, "\r\n", 64), BASE64.slice(0, 40)],
  ["in base64 of several lines within JSON", JSON.stringify(broken(BASE64, "\n")), BASE64.slice(0, 40)],
  ["in base64 of several lines that are indented", broken(BASE64, "\n    "), BASE64.slice(0, 40)],
  ["in JSON of ASCII alone", '{"p":"Gr\\u00fc\\u00dfe-aus-K\\u00f6ln-42"}', "aus-K\\u00f6ln-42"],
  ["in JSON of ASCII alone within JSON", JSON.stringify('{"p":"Gr\\u00fc\\u00dfe-aus-K\\u00f6ln-42"}'), "e-aus-K"],
  ["in JSON of a server in Go", `{"p":"p\\u0026ssw\\u003crd\\u003e'42\\"x+y"}`, "ssw\\u003crd"],
  ["in HTML", "p&amp;ssw&lt;rd&gt;&#39;42&quot;x+y", "ssw&lt;rd"],
  ["in HTML with numbers", "p&#38;ssw&#x3c;rd&#x3E;&apos;42&#34;x+y", "ssw&#x3c;rd"],
  ["as a word of a shell", `'p&ssw<rd>'\\''42"x+y'`, "p&ssw<rd>"],
  ["as another word of a shell", `'p&ssw<rd>'"'"'42"x+y'`, "p&ssw<rd>"],
  ["line by line with numbers", LINES.replaceAll(/^/gm, "1\t"), "second-line-of-the-secret-0815"],
  ["on one line", LINES.replaceAll("\n", " "), "first-line-of-the-secret-4711"],
  ["with any character percent-encoded", encodeURIComponent(SIGNS).replaceAll("y", "%79"), "%26ssw%3Crd"],
  ["in hex", HEX, HEX.slice(0, 40)],
  ["in hex of several lines, in capitals", broken(HEX.toUpperCase(), "\n", 60), HEX.toUpperCase().slice(0, 40)],
  ["with decomposed letters", UMLAUT.normalize("NFD"), "-aus-Ko"],
];

it.each(SPELLED)("a known secret is found %s", (_, spelled, part) => {
  const text = `It says ${spelled} there.`;
  for (const redact of [createConcealer(SECRETS).conceal, createRedactor(SECRETS), createRowRedaction(SECRETS).text]) {
    expect(redact(text)).not.toContain(part);
    expect(redact(text)).toMatch(/^It says .*\[redacted\].* there\.$/s);
  }
});

it("a short secret with a backslash is found in JSON", () => {
  const secret = String.raw`#\d5/3!(`;
  const { conceal } = createConcealer([secret]);
  expect(conceal(JSON.stringify({ secret }))).toBe('{"secret":"[redacted]"}');
});

it("a stream shows no line of a broken secret, however deep it is indented", () => {
  const said = createConcealer([LONG]).stream();
  const text = broken(BASE64, `\n${" ".repeat(60)}`, 64);
  expect([...text].map((piece) => said.push(piece)).join("") + said.end()).not.toContain(BASE64.slice(10, 50));
});

it.each(SPELLED)("a secret that comes piece by piece is found %s", (_, spelled) => {
  const text = `It says ${spelled} there.`;
  const { conceal, stream } = createConcealer(SECRETS);
  for (const size of [1, 2, 7, 64]) {
    const said = stream();
    const shown = [...text.matchAll(new RegExp(`.{1,${size}}`, "gs"))].map(([piece]) => said.push(piece));
    const all = shown.join("") + said.end();
    expect(all).toContain("[redacted]");
    // Up to three characters are shown before the stream can tell that a secret begins.
    const told = all.replaceAll("[redacted]", "");
    expect(told.length).toBeLessThanOrEqual(conceal(text).replaceAll("[redacted]", "").length + 2 * 3 * 6);
    expect(told).toMatch(/ there\.$/);
  }
});

/** Lines as a key has them: with it, much of a text that was shown is kept, since a secret may overlap with it. */
const keyOf = (length: number) =>
  Array.from({ length: length / 50 }, (_, at) =>
    createHash("sha512").update(`${at}`).digest("base64").slice(0, 49),
  ).join("\n");

it.each(SPELLED)("a secret far into a stream is found %s, though little is read again", (_, spelled) => {
  const { stream } = createConcealer([...SECRETS, keyOf(3_000)]);
  for (const before of ["Much was said. ", "in JSON\\n\\t\\u00fc ", "%C3%BC&amp;amp; "]) {
    const text = `${before.repeat(2_500 / before.length)}. It says ${spelled} there.`;
    for (const size of [5, 64]) {
      const said = stream();
      const pieces = [...text.matchAll(new RegExp(`.{1,${size}}`, "gs"))];
      const all = pieces.map(([piece]) => said.push(piece)).join("") + said.end();
      const told = all.slice(all.lastIndexOf("It says"));
      expect(told).toMatch(/^It says .*\[redacted\].* there\.$/s);
      expect(told.replaceAll("[redacted]", "").length).toBeLessThanOrEqual(
        "It says  there.".length + spelled.length / 2 + 36,
      );
    }
  }
});

it("a long secret of one line is told from its half, piece by piece", () => {
  const key = keyOf(2_000).replaceAll("\n", "");
  const said = createConcealer([key]).stream();
  const text = `${"a word ".repeat(300)}${key} ${key.slice(0, 1_000)}, and no more.`;
  const all = [...text].map((piece) => said.push(piece)).join("") + said.end();
  // Three characters are shown before the stream can tell that it begins.
  expect(all).toBe(text.replace(key, `${key.slice(0, 3)}[redacted]`));
});

/** How many characters are looked at for each piece, once a stream with that secret has begun. */
function workOf(secret: string, pieces: readonly string[]): number {
  const said = createConcealer([secret]).stream();
  for (let piece = 0; piece < 5_000; piece++) said.push(`\\u00fc\\n${piece % 10}`);
  let work = 0;
  const spies = (["matchAll", "search"] as const).map((name) => {
    const real = String.prototype[name] as (pattern: RegExp) => never;
    return vi.spyOn(String.prototype, name).mockImplementation(function (this: string, pattern: unknown) {
      work += this.length;
      return real.call(this, pattern as RegExp);
    });
  });
  for (const piece of pieces) said.push(piece);
  for (const spy of spies) spy.mockRestore();
  return work / pieces.length;
}

it("a streamed piece costs the same work whatever length the secrets have", () => {
  const pieces = Array.from({ length: 500 }, (_, piece) => `\\u00fc\\n${piece % 10}`);
  const [short, long] = [workOf(keyOf(1_000), pieces), workOf(keyOf(4_000), pieces)];
  expect(long).toBeLessThan(short * 1.05);
  expect(long).toBeLessThan(12_000);
});

it("a long secret that is just being said costs little for each piece", () => {
  const key = keyOf(4_000).replaceAll("\n", "");
  expect(workOf(key, [...key])).toBeLessThan(15_000);
});

it("the lines around a private key and ordinary sentences stay", () => {
  const note = "-----BEGIN CERTIFICATE-----\nThis is a note of 2026 for everybody who reads it.\n";
  const redact = createRedactor([`${note}MIIEvQIBADANBgkqhkiG9w0`]);
  expect(redact(`${note}MIIEvQIBADANBgkqhkiG9w0`)).toBe("[redacted]");
  expect(redact(`1\t${note}2\tMIIEvQIBADANBgkqhkiG9w0`)).toBe(`1\t${note}2\t[redacted]`);
});

it("escapes and line breaks around a secret stay", () => {
  const text = `a\\u0041 %41 &lt; "b\\n" ${"x".repeat(20)}\n${"y".repeat(20)}`;
  expect(createRedactor(SECRETS)(`${text} ${UMLAUT} ${text}`)).toBe(`${text} [redacted] ${text}`);
});

it.each(["\\", "%4", "%C3", "&#", "'\"", "\n ", `${"a".repeat(16)}\n`, "\\u00"])(
  "a text that only repeats “%s” is looked through in linear time",
  (part) => {
    const { conceal, stream } = createConcealer(SECRETS);
    const startedAt = performance.now();
    conceal(part.repeat(300_000 / part.length));
    const said = stream();
    for (let piece = 0; piece < 300; piece++) said.push(part.repeat(10));
    said.end();
    // With quadratic time it takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  },
);

/** A text as it can be read, and where in the text as it is written each part of it stands. */
export interface Reading {
  readonly text: string;
  /** The written text from which the part of the reading from `start` to `end` was read; `end` must be behind `start`. */
  written(start: number, end: number): readonly [start: number, end: number];
}

/**
 * Escapes of URLs, JSON, JavaScript, Python, HTML and shells: `%C3%BC`, `\u00fc`, `\xfc`, `\n`, `&quot;`, `&#39;`, `'\''`,
 * `'"'"'`. Behind any other backslash stands what it escapes, such as a sign of Markdown.
 */
const ESCAPE =
  /%[0-7][\da-fA-F]|%[c-fC-F][\da-fA-F](?:%[89abAB][\da-fA-F]){1,3}|'\\''|'"'"'|\\+(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[nrt])?|&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][\da-fA-F]{1,6});/g;

/** What each escape has in it, so that an ordinary text is not looked at further. */
const MAY_ESCAPE = /\\|%[\da-fA-F]{2}|&[#aglq]|'"'"'/;

/** Escapes stand within escapes, as in the JSON of a page's HTML. Nobody writes a third one around them by accident. */
const DEPTH = 2;

/**
 * Where a long word goes on in the next line, as programs break base64 and hex; an indent and the number of the line stand
 * between. Begins with what is rare: each break is looked at once.
 */
const BREAK = /\r?\n[ \t]*(?:\d+\t)?(?=[\w+/=-])(?<=[\w+/=-]{16}\r?\n[ \t]*(?:\d+\t)?)/g;

/** The start of an escape at the end of a text that goes on; all of those above but those of one character. */
const HALF_ESCAPE =
  /(?:%[c-fC-F][\da-fA-F](?:%[89abAB][\da-fA-F]){0,2}(?:%[\da-fA-F]?)?|%[\da-fA-F]?|\\+(?:u[\da-fA-F]{0,3}|x[\da-fA-F]?)?|&#?\w{0,8}|'\\?'?|'"(?:'"?)?)$/;

/** In characters: more than the longest of them. */
const HALF_LENGTH = 24;

/** In characters, of a line that goes on with a long word. */
const WIDEST_INDENT = 200;

/** A break at the end of a text that goes on. */
const HALF_BREAK = /\r?\n[ \t]*(?:\d+\t?)?$|\r$/;

/** All ways to read a text: as it is, without its escapes, and without the breaks within long words. */
export function readingsOf(text: string): readonly Reading[] {
  const readings: Reading[] = [asWritten(text)];
  for (let depth = 0; depth < DEPTH; depth++) {
    const escaped = last(readings);
    if (!MAY_ESCAPE.test(escaped.text)) break;
    readings.push(edited(escaped, ESCAPE, unescaped));
  }
  const broken = last(readings);
  if (broken.text.search(BREAK) >= 0) readings.push(edited(broken, BREAK, () => ""));
  return readings;
}

/** The same for a text that goes on: how it can be read up to where its end may be half of something. */
export function readingsOfBeginning(text: string): readonly Reading[] {
  const tail = text.slice(-HALF_LENGTH);
  const half = HALF_ESCAPE.exec(tail)?.[0].length ?? 0;
  const whole = half === 0 ? [] : readingsOf(text.slice(0, text.length - half));
  const readings = [...readingsOf(text), ...whole];
  const unbroken = readings.flatMap((reading) => {
    const at = reading.text.slice(-WIDEST_INDENT).search(HALF_BREAK);
    if (at < 0) return [];
    const end = Math.max(0, reading.text.length - WIDEST_INDENT) + at;
    return [{ text: reading.text.slice(0, end), written: reading.written }];
  });
  return [...readings, ...unbroken];
}

function asWritten(text: string): Reading {
  return { text, written: (start, end) => [start, end] };
}

function last(readings: readonly Reading[]): Reading {
  return readings.at(-1) ?? asWritten("");
}

function unescaped(found: string): string {
  switch (found[0]) {
    case "%":
      return decoded(found);
    case "'":
      return "'";
    case "&":
      return ofEntity(found.slice(1, -1));
  }
  const sign = found.replace(/^\\+/, "");
  if (sign.length > 1) return String.fromCharCode(Number.parseInt(sign.slice(1), 16));
  return { n: "\n", r: "\r", t: "\t" }[sign] ?? "";
}

function decoded(bytes: string): string {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes;
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function ofEntity(name: string): string {
  if (!name.startsWith("#")) return ENTITIES[name] ?? "";
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10_ffff ? String.fromCodePoint(code) : "";
}

/** A reading of which each match of `pattern` is replaced. */
function edited(reading: Reading, pattern: RegExp, replacement: (found: string) => string): Reading {
  const edits: Edit[] = [];
  let text = "";
  let from = 0;
  for (const { 0: found, index } of reading.text.matchAll(pattern)) {
    text += reading.text.slice(from, index);
    const put = replacement(found);
    from = index + found.length;
    edits.push({ at: text.length, length: put.length, from: index, to: from });
    text += put;
  }
  text += reading.text.slice(from);
  return {
    text,
    written: (start, end) => reading.written(before(edits, start)[0], before(edits, end - 1)[1]),
  };
}

interface Edit {
  /** Where its replacement stands. */
  readonly at: number;
  readonly length: number;
  /** What it replaced. */
  readonly from: number;
  readonly to: number;
}

/** What the character at `place` was made of. */
function before(edits: readonly Edit[], place: number): readonly [start: number, end: number] {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits[middle]?.at ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  const edit = edits[low - 1];
  if (edit === undefined) return [place, place + 1];
  const behind = place - edit.at - edit.length;
  return behind < 0 ? [edit.from, edit.to] : [edit.to + behind, edit.to + behind + 1];
}

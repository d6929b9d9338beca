/** What a platform counts a text's length in. */
export type TextUnit = "utf16" | "codepoints" | "bytes";

export function sizeOf(text: string, unit: TextUnit): number {
  switch (unit) {
    case "utf16":
      return text.length;
    case "bytes":
      return Buffer.byteLength(text);
    case "codepoints": {
      let count = 0;
      for (const _ of text) count++;
      return count;
    }
  }
}

/** The furthest offset such that the text from `start` to there is no larger than `budget`; never in a surrogate pair. */
export function reach(text: string, start: number, budget: number, unit: TextUnit): number {
  let spent = 0;
  let at = start;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const units = code > 0xffff ? 2 : 1;
    spent += unit === "utf16" ? units : unit === "codepoints" ? 1 : bytesOf(code);
    if (spent > budget) break;
    at += units;
  }
  return at;
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

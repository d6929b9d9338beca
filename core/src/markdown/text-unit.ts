/** The unit in which a platform counts the length of a text. */
export type TextUnit = "utf16" | "codepoints" | "bytes";

/** Returns the size of a text in a unit: UTF-16 units, code points, or bytes of UTF-8. */
export function sizeOf(text: string, unit: TextUnit): number {
  switch (unit) {
    case "utf16":
      return text.length;
    case "bytes": {
      // Without `Buffer`, since this also runs in browsers.
      let bytes = 0;
      for (const character of text) bytes += bytesOf(character.codePointAt(0) ?? 0);
      return bytes;
    }
    case "codepoints": {
      let count = 0;
      for (const _ of text) count++;
      return count;
    }
  }
}

/** The last offset such that the text from `start` to it is at most `budget` long; never within a surrogate pair. */
export function reach(text: string, start: number, budget: number, unit: TextUnit): number {
  // A fast path: a UTF-16 unit has at most three bytes.
  if (text.length - start <= (unit === "bytes" ? Math.floor(budget / 3) : budget)) return text.length;
  if (unit === "utf16") {
    const at = start + Math.max(0, budget);
    const isInPair = /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
    return isInPair && at > start ? at - 1 : at;
  }
  let spent = 0;
  let at = start;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const units = code > 0xffff ? 2 : 1;
    spent += unit === "codepoints" ? 1 : bytesOf(code);
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

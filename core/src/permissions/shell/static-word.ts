/** What bash leaves alone outside of quotes. Whatever is not here may be an expansion, a glob or an operator. */
const PLAIN = /[\p{L}\p{N}_\-./:=@%+,^#]/u;

/**
 * The word that bash makes of a part of a line; null where what it makes is not known before it runs: expansions, globs,
 * braces, a tilde in front, quotes of another kind, a line that goes on.
 */
export function staticWord(source: string): string | null {
  let word = "";
  let at = 0;
  while (at < source.length) {
    const char = String.fromCodePoint(source.codePointAt(at) ?? 0);
    if (char === "'") {
      const end = source.indexOf("'", at + 1);
      if (end < 0) return null;
      word += source.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"') {
      const quoted = doubleQuoted(source, at + 1);
      if (quoted === null) return null;
      word += quoted.text;
      at = quoted.end;
    } else if (char === "\\") {
      const next = source[at + 1];
      if (next === undefined || next === "\n" || next > "~") return null;
      word += next;
      at += 2;
    } else {
      if (!isPlainTilde(source, at) && (!PLAIN.test(char) || (char === "#" && at === 0))) return null;
      word += char;
      at += char.length;
    }
  }
  return word;
}

/** Bash expands a tilde in front, or behind the sign of an assignment: not that of `HEAD~1` and `HEAD^~`. */
function isPlainTilde(source: string, at: number): boolean {
  return source[at] === "~" && /[\p{L}\p{N}^]~*$/u.test(source.slice(0, at));
}

/** The text in double quotes, from behind the first to behind the last of them. */
function doubleQuoted(source: string, start: number): { readonly text: string; readonly end: number } | null {
  let text = "";
  for (let at = start; at < source.length; at++) {
    const char = source[at] ?? "";
    if (char === '"') return { text, end: at + 1 };
    if (char === "$" || char === "`") return null;
    if (char !== "\\") {
      text += char;
      continue;
    }
    const next = source[at + 1] ?? "\n";
    if (next === "\n") return null;
    text += /["\\$`]/.test(next) ? next : `\\${next}`;
    at++;
  }
  return null;
}

/** A command as a person would type it, each word quoted where bash would not take it as it is. */
export function quoted(words: readonly (string | null)[]): string {
  return words
    .map((word) => {
      if (word === null) return "…";
      if (word !== "" && staticWord(word) === word && !word.includes("'")) return word;
      return `'${word.replaceAll("'", "'\\''")}'`;
    })
    .join(" ");
}

/** Makes text from outside safe to store: well-formed, and without NUL, which ends a C string. */
export function readable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u2400");
}

/** The first `limit` code points. */
export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : [...text].slice(0, limit).join("");
}

/** Folds case, for comparisons that ignore it, in every script. */
export function foldCase(text: string): string {
  // Upper case first: it has one form where lower case has several (ß and ss, σ and ς).
  return text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/** Escapes `text` for LIKE … ESCAPE '\', so that % and _ are literal. */
export function likeText(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}

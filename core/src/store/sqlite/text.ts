/** Text from outside in a form that the file gives back unchanged: well-formed, and without NUL, a C string's end. */
export function readable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u2400");
}

/** The first `limit` characters; none is cut in two. */
export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : [...text].slice(0, limit).join("");
}

/** `text` as it is compared where case does not count, in every script. */
export function foldCase(text: string): string {
  // Upper case first: it has one form where lower case has several (ß and ss, σ and ς).
  return text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/** `text` for LIKE … ESCAPE '\', where its own % and _ mean themselves. */
export function likeText(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}

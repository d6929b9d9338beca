import { readingsOf } from "./readings.ts";

/** In characters: anything shorter is no real secret, and redacting it would remove innocent words from every text. */
const SHORTEST_SECRET = 8;

/** In characters: a line of a secret that is shorter may stand in any text. */
const SHORTEST_LINE = 16;

/**
 * What to look for in each reading of a text, longest first, since one secret may begin with another: the secrets
 * themselves, with their letters composed and decomposed; base64, hex, and the lines of those that have several.
 */
export function formsOf(secrets: Iterable<string>): string[] {
  return longestFirst([...secrets].filter(isLongEnough).flatMap(forms));
}

/**
 * The spellings in which a secret can occur in an id, longest first. Unlike those of a text, which may escape any of its
 * characters, they are finite, so that each has a stand-in of its own.
 */
export function spellingsOf(secrets: Iterable<string>): string[] {
  return longestFirst([...secrets].filter(isLongEnough).flatMap((secret) => [...forms(secret), ...escaped(secret)]));
}

function longestFirst(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort((a, b) => b.length - a.length);
}

function isLongEnough(secret: string): boolean {
  return secret.length >= SHORTEST_SECRET;
}

function forms(secret: string): string[] {
  const hex = Buffer.from(secret).toString("hex");
  const letters = [secret, secret.normalize("NFC"), secret.normalize("NFD")];
  return [
    ...letters,
    // As a query of a URL has its spaces, and as it reads when what looks like an escape in it is taken for one.
    secret.replaceAll(" ", "+"),
    ...letters.flatMap((form) => readingsOf(form).map(({ text }) => text)).filter(isLongEnough),
    // What would be too short without its escapes is looked for with them.
    ...(letters.some((form) => readingsOf(form).some(({ text }) => !isLongEnough(text))) ? escaped(secret) : []),
    ...linesOf(secret),
    ...inBase64(secret),
    ...[hex, hex.toUpperCase()],
  ];
}

/** The lines of a secret that can be told from ordinary text: not those around a private key, nor what is a sentence. */
function linesOf(secret: string): string[] {
  const lines = secret.split(/\r?\n|(?:\\r)?\\n/).map((line) => line.trim());
  if (lines.length === 1) return [];
  return lines.filter((line) => line.length >= SHORTEST_LINE && /^(?!-----)\S*\d\S*$/.test(line));
}

/** A secret as it looks in a URL, JSON, Markdown and HTML. */
function escaped(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    ...inAddress(secret),
    json,
    json.replaceAll("/", "\\/"),
    JSON.stringify(json).slice(1, -1),
    secret.replaceAll(/[\\`*_[\]<~&|]/g, "\\$&"),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  ];
}

/** The percent-encoded spellings: by the lax rule and the strict one, with hex digits in upper and in lower case. */
function inAddress(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const strict = encoded.replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [encoded, strict, strict.replaceAll("%20", "+")];
  return [...forms, ...forms.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()))];
}

/**
 * The base64 of a secret inside a longer text, such as `user:<secret>`, for each offset within a group of three bytes.
 * Characters that also encode bytes of the text before or after it are left out.
 */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const written = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const own = written.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

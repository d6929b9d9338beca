/** In characters: anything shorter is no real secret, and redacting it would remove innocent words from every text. */
const SHORTEST_SECRET = 8;

/** All spellings in which the secrets can occur, longest first: one secret may begin with another. */
export function spellingsOf(secrets: Iterable<string>): string[] {
  const known = [...new Set([...secrets].filter(isLongEnough).flatMap(spellings))];
  return known.sort((a, b) => b.length - a.length);
}

function isLongEnough(secret: string): boolean {
  return secret.length >= SHORTEST_SECRET;
}

/** A secret as it is, and as it looks in a URL, JSON, Markdown, HTML and base64. */
function spellings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    ...inAddress(secret),
    json,
    json.replaceAll("/", "\\/"),
    JSON.stringify(json).slice(1, -1),
    secret.replaceAll(/[\\`*_[\]<~&|]/g, "\\$&"),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    ...inBase64(secret),
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

/** Anything shorter is no secret worth the name, and would take innocent words out of every text. */
const SHORTEST_SECRET = 8;

/** All the forms in which known secrets are met, the longest first: one secret may begin with another. */
export function spellingsOf(secrets: Iterable<string>): string[] {
  const known = [...new Set([...secrets].filter(isLongEnough).flatMap(spellings))];
  return known.sort((a, b) => b.length - a.length);
}

function isLongEnough(secret: string): boolean {
  return secret.length >= SHORTEST_SECRET;
}

/** How a secret looks as it is, inside an address, JSON, Markdown and HTML, and within what is written in base64. */
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

/** Percent-encoded: by either rule for the characters that need it not, with digits in capitals or not. */
function inAddress(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const strict = encoded.replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [encoded, strict, strict.replaceAll("%20", "+")];
  return [...forms, ...forms.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()))];
}

/**
 * What of a secret stands in the base64 of a text around it, such as `user:<secret>`: where the text before ends within a
 * group of three bytes, the first characters are also of that text, and the last one of what comes behind.
 */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const written = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const own = written.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

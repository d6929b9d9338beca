const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/** The address as the browser will understand it, or null when it may not be a link. */
export function safeLink(url: string): string | null {
  // Without a base: what is relative here would be a link into this page.
  const parsed = parse(url);
  return parsed && SCHEMES.has(parsed.protocol) ? parsed.href : null;
}

function parse(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

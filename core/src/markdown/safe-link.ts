import { withoutHidden } from "../base/hidden-text.ts";

const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/**
 * Returns the address for a link, or null if it must stay text: a link may only open a page or a mail, whatever a model
 * wrote. An app's own schemes (`tg:`, `tel:`, `intent:` …) act on a tap, and `javascript:` runs code.
 */
export function safeLink(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || !SCHEMES.has(parsed.protocol)) return null;
  // Unchanged, unless apps could parse it differently from the check above.
  const isPlain = /^(?:https?:\/\/|mailto:)[^\s\p{Cc}<>"\\]+$/iu.test(url) && withoutHidden(url) === url;
  return isPlain ? url : parsed.href;
}

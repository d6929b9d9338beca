import { withoutHidden } from "../base/hidden-text.ts";

const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/**
 * The address to make a link of, or null when it may only be text: a link opens a page or a mail and nothing else,
 * whatever a model wrote. An app's own schemes (`tg:`, `tel:`, `intent:` …) act at a tap, and `javascript:` at once.
 */
export function safeLink(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || !SCHEMES.has(parsed.protocol)) return null;
  // As it was written, unless apps could read it in another way than it was checked.
  const isPlain = /^(?:https?:\/\/|mailto:)[^\s\p{Cc}<>"\\]+$/iu.test(url) && withoutHidden(url) === url;
  return isPlain ? url : parsed.href;
}

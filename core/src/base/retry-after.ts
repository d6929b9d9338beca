/**
 * Milliseconds that an HTTP server asks to wait by its `Retry-After`, in seconds or as a date; null if it does not say.
 * `now`: milliseconds since 1970. A date that is past asks for no wait: 0.
 */
export function parseRetryAfter(said: string | null | undefined, now: number): number | null {
  const text = said?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const until = Date.parse(text);
  return Number.isNaN(until) ? null : Math.max(0, until - now);
}

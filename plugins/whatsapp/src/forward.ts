import type { Quote } from "@hermes/core";

/** What a forwarded message says. WhatsApp marks it as forwarded, and tells neither who wrote it nor where. */
export function quotesOf(text: string): Quote[] {
  return text.trim() === "" ? [] : [{ kind: "forward", text }];
}

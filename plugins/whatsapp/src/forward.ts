import type { Attachment, Quote } from "@hermes/core";

/** What a forwarded message says, if only by its files. WhatsApp tells neither who wrote it nor where. */
export function quotesOf(text: string, files: readonly Attachment[]): Quote[] {
  return text.trim() === "" && files.length === 0 ? [] : [{ kind: "forward", text }];
}

import { parseSections } from "../markdown/parse-markdown.ts";
import type { PlatformAdapter } from "./adapter.ts";
import type { OutboundMessage, Piece } from "./message.ts";

/**
 * The pieces of a message as an adapter makes them, one section of a long text after the other. Each is formatted when
 * it is asked for: whoever waits between two of them holds nobody up.
 */
export function* renderMessage(
  adapter: Pick<PlatformAdapter, "render">,
  { files = [], choices = [], ...message }: OutboundMessage,
): Generator<Piece[]> {
  for (const { markdown, root, isLast } of parseSections(message.markdown)) {
    // Files and choices come behind what is said.
    const behind = isLast && { ...(files.length > 0 ? { files } : {}), ...(choices.length > 0 ? { choices } : {}) };
    yield adapter.render({ ...message, markdown, ...behind }, root);
  }
}

/** The pieces of a message, all at once. */
export function renderedMessage(adapter: Pick<PlatformAdapter, "render">, message: OutboundMessage): Piece[] {
  return [...renderMessage(adapter, message)].flat();
}

import { type OutboundMessage, type Piece, PlatformAdapter } from "@hermes/core";
import type { Root } from "@hermes/core/markdown";
import { render } from "./format.ts";
import { PLATFORM } from "./source.ts";

/** What both ways to WhatsApp have in common: the formatting, and that there are no threads. */
export abstract class WhatsAppAdapter extends PlatformAdapter {
  override readonly platform = PLATFORM;

  override render(message: OutboundMessage, root?: Root): Piece[] {
    return render(message, root);
  }
}

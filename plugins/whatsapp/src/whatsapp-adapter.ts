import { type OutboundMessage, type Piece, PlatformAdapter } from "@hermes/core";
import { render } from "./format.ts";
import { PLATFORM } from "./source.ts";

/** What both ways to WhatsApp have in common: the formatting, and that there are no threads. */
export abstract class WhatsAppAdapter extends PlatformAdapter {
  override readonly platform = PLATFORM;

  override render(message: OutboundMessage): Piece[] {
    return render(message);
  }
}

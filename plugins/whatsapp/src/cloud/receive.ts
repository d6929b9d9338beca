import type { InboundMessage, Logger } from "@hermes/core";
import type { DeliveryReports } from "./delivery-reports.ts";
import { type DecodeContext, decode } from "./inbound.ts";
import { listIn, valuesFor, type WebhookPayload, type WebhookValue, type WireMessage } from "./wire.ts";

export interface ReceiveParts {
  readonly phoneNumberId: string;
  readonly decoding: DecodeContext;
  readonly reports: DeliveryReports;
  readonly logger: Logger;
  /** Resolves once Hermes has kept the message. */
  readonly receive: (message: InboundMessage) => Promise<void>;
}

/** Hands over what a webhook says about the number. Resolves once Hermes has kept all of it. */
export async function receivePayload(payload: WebhookPayload, parts: ReceiveParts): Promise<void> {
  for (const value of valuesFor(parts.phoneNumberId, payload)) {
    for (const status of listIn(value.statuses)) await parts.reports.take(status);
    for (const wire of listIn(value.messages)) {
      const message = await read(wire, value, parts);
      if (message !== null) await parts.receive(message);
    }
  }
}

/** Skips a message that cannot be read: Meta would send it for days, with everything else in the same webhook. */
async function read(
  wire: WireMessage,
  value: WebhookValue,
  { decoding, logger }: ReceiveParts,
): Promise<InboundMessage | null> {
  try {
    return await decode(wire, value, decoding);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    logger.error({ error }, "a message cannot be read; it is passed over");
    return null;
  }
}

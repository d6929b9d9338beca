import type { Quote } from "@hermes/core";
import { type APIMessage, MessageReferenceType } from "discord.js";

type Readable = Pick<APIMessage, "content" | "mentions">;

/** What a message passes on of others. Discord tells the channel that it stood in, and not who wrote it. */
export function quotesOf(
  message: Pick<APIMessage, "message_reference" | "message_snapshots">,
  read: (one: Readable) => string,
  nameOf: (channelId: string) => string | undefined,
): Quote[] {
  const { message_reference: reference, message_snapshots: snapshots = [] } = message;
  if (reference?.type !== MessageReferenceType.Forward) return [];
  const origin = nameOf(reference.channel_id);
  return snapshots
    .map(({ message: one }) => read(one).trim())
    .filter((text) => text !== "")
    .map((text) => ({ kind: "forward", text, ...(origin === undefined ? {} : { origin }) }));
}

import type { Quote } from "@hermes/core";
import { type APIAttachment, type APIMessage, MessageReferenceType } from "discord.js";

type Readable = Pick<APIMessage, "content" | "mentions">;
type Forwarding = Pick<APIMessage, "message_reference" | "message_snapshots">;

/** The messages that a message passes on. */
function snapshotsOf({ message_reference: reference, message_snapshots: snapshots = [] }: Forwarding) {
  return reference?.type === MessageReferenceType.Forward ? snapshots.map(({ message }) => message) : [];
}

/** The files of what a message passes on. */
export function forwardedFiles(message: Forwarding): APIAttachment[] {
  return snapshotsOf(message).flatMap(({ attachments = [] }) => attachments);
}

/** What a message passes on of others. Discord tells the channel that it stood in, and not who wrote it. */
export function quotesOf(
  message: Forwarding,
  read: (one: Readable) => string,
  nameOf: (channelId: string) => string | undefined,
): Quote[] {
  const origin = nameOf(message.message_reference?.channel_id ?? "");
  return snapshotsOf(message)
    .map((one) => ({ text: read(one).trim(), hasFiles: (one.attachments ?? []).length > 0 }))
    .filter(({ text, hasFiles }) => text !== "" || hasFiles)
    .map(({ text }) => ({ kind: "forward", text, ...(origin === undefined ? {} : { origin }) }));
}

import { type APIMessage, MessageReferenceType } from "discord.js";

type Readable = Pick<APIMessage, "content" | "mentions">;

/** What a message says; one that was forwarded stands as a quote below the words of whoever forwarded it. */
export function textOf(
  message: Readable & Pick<APIMessage, "message_reference" | "message_snapshots">,
  read: (one: Readable) => string,
): string {
  const own = read(message).trim();
  if (message.message_reference?.type !== MessageReferenceType.Forward) return own;
  const forwarded = (message.message_snapshots ?? []).map(({ message: one }) => quote(read(one).trim()));
  return [own, ...forwarded].filter(Boolean).join("\n\n");
}

function quote(text: string): string {
  return text === "" ? "" : text.replaceAll(/^/gm, "> ");
}

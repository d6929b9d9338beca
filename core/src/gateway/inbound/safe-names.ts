import type { Attachment, InboundMessage } from "../../adapter/message.ts";
import { oneLine, shortName } from "../../base/one-line.ts";

/**
 * A message with names as they can be seen: what people call themselves, their chats and their files reaches rows,
 * prompts and terminals, and must not carry words that nobody sees, or lines that look like another's.
 */
export function withSafeNames({ sender, chatName, attachments, ...message }: InboundMessage): InboundMessage {
  const { name, ...known } = sender;
  const names = { sender: shortName(name ?? ""), chat: shortName(chatName ?? "") };
  return {
    ...message,
    sender: names.sender === "" ? known : { ...known, name: names.sender },
    ...(names.chat === "" ? {} : { chatName: names.chat }),
    ...(attachments && { attachments: attachments.map(withSafeLabels) }),
  };
}

/** The sender also chooses the media type; anything not of that form is dropped. */
function withSafeLabels(file: Attachment): Attachment {
  const [mediaType = ""] = file.mediaType.split(";", 1);
  const isMediaType = /^[\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80}$/.test(mediaType);
  return {
    ...file,
    name: oneLine(file.name) || "file",
    mediaType: isMediaType ? mediaType : "application/octet-stream",
  };
}

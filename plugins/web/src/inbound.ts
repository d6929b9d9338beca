import type { InboundMessage, Reference } from "@hermes/core";
import { fileGone } from "./errors.ts";
import type { WireMessage, WireQuote } from "./server/wire/thread.ts";
import { conversationOf, OWNER } from "./source.ts";
import type { KeptFiles } from "./storage/kept-files.ts";

/** Where the content of people's files is: as they uploaded it, or as the page shows it. */
export interface FileStores {
  readonly uploads: KeptFiles;
  readonly files: KeptFiles;
}

/** What a person wrote on the page. */
export function decode(message: WireMessage, account: string | undefined, stores: FileStores): InboundMessage {
  const { replyTo, files } = message;
  const attachments = files.map(({ id, name, mediaType, size, path }) => {
    const download = async () => {
      const content = await (path === null ? stores.uploads : stores.files).read(id);
      if (content === null) throw fileGone();
      return content;
    };
    return { name, mediaType, size, download };
  });
  return {
    conversation: conversationOf(message.threadId, account),
    messageId: message.id,
    sender: OWNER,
    text: message.text,
    sentAt: message.sentAt,
    ...(attachments.length > 0 && { attachments }),
    ...(replyTo === null ? {} : { refersTo: referenceTo(replyTo) }),
  };
}

function referenceTo({ id: messageId, author, text }: WireQuote): Reference {
  return { messageId, text, ...(author === "user" ? { writer: OWNER } : { isOwn: true }) };
}

import { inject, Lifecycle, scoped, singleton } from "tsyringe";
import type { Attachment, InboundMessage, OutboundMessage } from "../../adapter/message.ts";
import { readAttachment } from "../../adapter/read-attachment.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/errors.ts";
import type { FileRef } from "../../base/file-ref.ts";
import type { Logger } from "../../base/logger.ts";
import { Slots } from "../../base/slots.ts";
import { sizeText } from "../../base/text.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import { FILES, type Files } from "../../files/files.ts";
import { isModelFileType, sniffMediaType } from "../../files/media-type.ts";
import { escapeMarkdown } from "../../markdown/escape-markdown.ts";
import { STORE, type Store } from "../../store/store.ts";

/** The most files of one message that are read; further ones are only named. */
const MOST_FILES = 20;

/** Files of all accounts that are in memory at once: 25 MB each at most, and as much again while one is decrypted. */
@singleton()
export class DownloadSlots extends Slots {
  constructor() {
    super(3);
  }
}

/** Reads the files of messages whose sender may talk, and keeps pictures and PDFs. */
@scoped(Lifecycle.ContainerScoped)
export class AttachedFiles {
  constructor(
    @inject(CLOCK) readonly clock: Clock,
    @inject(STORE) readonly store: Store,
    @inject(LOGGER) readonly logger: Logger,
    @inject(FILES) readonly files: Files,
    @inject(DownloadSlots) readonly slots: DownloadSlots,
  ) {}

  /**
   * The message with its files read, each kept before this resolves. What was accepted before is not read again: a platform
   * may tell of a message several times.
   */
  async taken(message: InboundMessage): Promise<InboundMessage> {
    const { attachments = [], isEdit } = message;
    if (attachments.length === 0) return message;
    const isKnown = !isEdit && (await this.store.inbox.said(message.conversation, message.messageId)) !== null;
    const read = attachments.map((attachment, at) => {
      return isKnown || at >= MOST_FILES ? withoutContent(attachment) : this.slots.run(() => this.#read(attachment));
    });
    return { ...message, attachments: await Promise.all(read) };
  }

  async #read(sent: Attachment): Promise<Attachment> {
    const { attachment, content } = await readAttachment(sent, this);
    if (content === null) return attachment;
    const mediaType = sniffMediaType(content);
    // Whatever it is called: no model is given what is neither a picture nor a PDF.
    if (mediaType === null) return { ...attachment, mediaType: "application/octet-stream" };
    try {
      const { hash, name } = await this.files.keep(content, attachment);
      return { ...attachment, mediaType, hash, name };
    } catch (error) {
      // The message matters more than its file.
      const { name } = attachment;
      this.logger.error({ name, reason: reasonOf(error) }, "a file could not be kept; its sender is told");
      return { ...attachment, isLost: true };
    }
  }
}

/** A file as it is kept: data alone. */
export function withoutContent({ download: _, largest: __, ...attachment }: Attachment): Attachment {
  return attachment;
}

/** Says which files of a message could not be had, or are too large, and how large they may be; null where all were read. */
export function unreadAmong(attachments: readonly Attachment[] = []): OutboundMessage | null {
  const unread = attachments.filter(({ isLost, limit }) => isLost || limit !== undefined);
  if (unread.length === 0) return null;
  const sentences = Array.from(
    Map.groupBy(unread, ({ limit }) => limit),
    ([limit, files]) => {
      const names = files.map(({ name }) => `“${escapeMarkdown(name)}”`).join(", ");
      const isOne = files.length === 1;
      const [they, were] = isOne ? [`The file ${names}`, "was"] : [`These files ${names}`, "were"];
      if (limit === undefined) {
        return `${they} could not be fetched and ${were} not read. You can send ${isOne ? "it" : "them"} again.`;
      }
      const [are, others] = isOne ? ["is", "a smaller one"] : ["are", "smaller ones"];
      const most = `${sizeText(limit)}, the most that can be read here`;
      return `${they} ${are} larger than ${most}, and ${were} not read. You can send ${others}.`;
    },
  );
  return { kind: "notice", markdown: sentences.join("\n\n") };
}

/** The files among attachments that Hermes has kept, as the transcript names them. */
export function keptAmong(attachments: readonly Attachment[]): readonly FileRef[] {
  return attachments.flatMap(({ hash, name, mediaType, size }) =>
    hash !== undefined && isModelFileType(mediaType) ? [{ hash, name, mediaType, size }] : [],
  );
}

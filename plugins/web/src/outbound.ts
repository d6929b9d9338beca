import type { Clock, Conversation, IdSource, Piece, SendOptions, SendReceipt } from "@hermes/core";
import { reasonOf, z } from "@hermes/core";
import { inFile, noSuchChat, noSuchMessage, threadGone, unavailable } from "./errors.ts";
import type { MessageKind, WireMessage } from "./server/wire/thread.ts";
import { HOME_CHAT_ID, linkTo, threadIdOf } from "./source.ts";
import type { KeptFiles } from "./storage/kept-files.ts";
import type { MessageBody } from "./storage/messages.ts";
import { keepSent, type SentFile } from "./storage/sent-file.ts";
import type { WebFile } from "./storage/web-file.ts";

/** Where messages are kept, and what they name. */
interface Storage {
  readonly file: WebFile;
  readonly files: KeptFiles;
}

/** Stores Hermes' messages in the file; pages follow its changes. */
export class Outbound {
  readonly #file: WebFile;
  readonly #files: KeptFiles;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #baseUrl: string;

  constructor({ file, files }: Storage, clock: Clock, ids: IdSource, baseUrl: string) {
    this.#file = file;
    this.#files = files;
    this.#clock = clock;
    this.#ids = ids;
    this.#baseUrl = baseUrl;
  }

  /** A file is there before the message that names it: a crash in between leaves a file that is removed a day later. */
  async send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt> {
    const { key, sessionId = null, turnId = null } = options;
    const threadId = checked(to);
    const files = await this.#keep(piece, options);
    return inFile(() => {
      const at = this.#clock.now();
      const id = this.#ids.next("msg");
      const body = { ...bodyOf(piece), until: untilOf(piece), files };
      const added = this.#file.messages.add({ ...body, id, threadId, key, sessionId, turnId, at });
      if (!added) throw threadGone();
      return this.#receipt(added.message);
    });
  }

  edit(at: Conversation, messageId: string, piece: Piece): SendReceipt {
    return inFile(() => {
      const threadId = checked(at);
      const message = this.#file.messages.replace(threadId, messageId, bodyOf(piece), this.#clock.now());
      if (!message) throw this.#file.threads.has(threadId) ? noSuchMessage(messageId) : threadGone();
      return this.#receipt(message);
    });
  }

  findSent(to: Conversation, key: string): SendReceipt | null {
    return inFile(() => {
      const message = this.#file.messages.byKey(checked(to), key);
      return message && this.#receipt(message);
    });
  }

  async #keep({ file }: Piece, { content }: SendOptions): Promise<SentFile[]> {
    if (file === undefined || content === undefined) return [];
    const { name, mediaType } = file;
    try {
      return [await keepSent(this.#files, { name, mediaType, content }, this.#clock.now())];
    } catch (error) {
      throw unavailable(`the file cannot be kept: ${reasonOf(error)}`, { cause: error });
    }
  }

  #receipt(message: WireMessage): SendReceipt {
    return { messageId: message.id, link: linkTo(this.#baseUrl, message.threadId), sentAt: message.sentAt };
  }
}

function checked(at: Conversation): string {
  if (at.chatId !== HOME_CHAT_ID) throw noSuchChat(at.chatId);
  return threadIdOf(at);
}

const kindsSent: readonly unknown[] = ["card", "notice", "echo", "earlier", "question"] satisfies MessageKind[];

const choicesSent = z
  .array(z.object({ id: z.string(), label: z.string(), style: z.enum(["plain", "primary", "danger"]) }))
  .catch([]);

/** Of what was said before: the number of the message in front of which it was said. */
function untilOf({ extra }: Piece): number | null {
  const until = extra?.until;
  return typeof until === "number" ? until : null;
}

/** Reads a piece. Hermes has stored it as JSON meanwhile, so every field is validated. */
function bodyOf(piece: Piece): MessageBody {
  const { kind, author, place, choices } = piece.extra ?? {};
  return {
    kind: kindsSent.includes(kind) ? (kind as MessageKind) : "answer",
    author: author === "user" || author === "hermes" ? author : "agent",
    place: typeof place === "string" ? place : null,
    text: piece.text,
    choices: choicesSent.parse(choices),
  };
}

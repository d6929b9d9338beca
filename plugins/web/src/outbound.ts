import type { Clock, Conversation, IdSource, Piece, SendReceipt } from "@hermes/core";
import { z } from "zod";
import { inFile, noSuchChat, noSuchMessage, threadGone } from "./errors.ts";
import type { MessageKind, WireMessage } from "./server/wire.ts";
import { HOME_CHAT_ID, linkTo, threadIdOf } from "./source.ts";
import type { MessageBody } from "./storage/messages.ts";
import type { WebFile } from "./storage/web-file.ts";

interface SentBy {
  readonly key: string;
  readonly sessionId?: string | null | undefined;
}

/** Stores Hermes' messages in the file; pages follow its changes. */
export class Outbound {
  readonly #file: WebFile;
  readonly #clock: Clock;
  readonly #ids: IdSource;
  readonly #baseUrl: string;

  constructor(file: WebFile, clock: Clock, ids: IdSource, baseUrl: string) {
    this.#file = file;
    this.#clock = clock;
    this.#ids = ids;
    this.#baseUrl = baseUrl;
  }

  send(to: Conversation, piece: Piece, { key, sessionId = null }: SentBy): SendReceipt {
    return inFile(() => {
      const threadId = checked(to);
      const at = this.#clock.now();
      const id = this.#ids.next("msg");
      const added = this.#file.messages.add({ ...bodyOf(piece), id, threadId, key, sessionId, at });
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

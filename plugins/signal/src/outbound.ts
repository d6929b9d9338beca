import {
  type Conversation,
  type Piece,
  PlatformError,
  RecentMap,
  type SendOptions,
  type SendReceipt,
} from "@hermes/core";
import type { Account } from "./account.ts";
import { attachmentOf, fileNameOf } from "./attachment.ts";
import {
  answerInError,
  beforehand,
  errorOfSend,
  judge,
  mayHaveGoneOut,
  RpcRefusal,
  rejected,
  type SendAnswer,
  sendAnswer,
  toPlatformError,
  untrustedIn,
} from "./errors.ts";
import type { Recipient } from "./source.ts";

/** The daemon hands a message to every recipient before it answers; core waits for no longer, in milliseconds. */
const PATIENCE_MS = 60_000;

/** How many edits a growing text gets before its last one: people's clients show at most ten of a message. */
const MOST_DRAFTS = 8;

/** How many growing texts are remembered with the number of their edits. */
const MOST_GROWING = 200;

/** Sends, changes, and shows that something is being written. */
export class Outbound {
  readonly #account: Account;
  /** Whom a typing sign is shown to. */
  readonly #typingTo = new Set<string>();
  /** How often a message was changed under one key, or may have been. */
  readonly #edits = new RecentMap<string, number>(MOST_GROWING);

  constructor(account: Account) {
    this.#account = account;
  }

  async send(to: Conversation, piece: Piece, { content, signal }: SendOptions): Promise<SendReceipt> {
    const attachments = piece.file && content ? { attachments: [attachmentOf(piece.file, content)] } : {};
    const timestamp = await this.#post(to, piece, attachments, signal);
    return { messageId: String(timestamp), sentAt: timestamp };
  }

  /** What is sent under one key again and again is a text that grows; what comes under another is its last version. */
  async edit(
    at: Conversation,
    messageId: string,
    piece: Piece,
    key: string,
    signal: AbortSignal,
  ): Promise<SendReceipt> {
    const name = `${messageId} ${key}`;
    const edits = this.#edits.get(name) ?? 0;
    if (edits >= MOST_DRAFTS)
      throw rejected("a message can be changed ten times", "Its last version comes all the same.");
    const noteEdit = () => this.#edits.set(name, edits + 1);
    const timestamp = await this.#post(at, piece, { editTimestamp: Number(messageId) }, signal).catch((error) => {
      if (error instanceof PlatformError && error.code === "PLATFORM_UNCERTAIN") noteEdit();
      throw error;
    });
    noteEdit();
    return { messageId, sentAt: timestamp };
  }

  /** Shows that Hermes writes. The sign fades after 15 s ("sendTyping"), and goes at once when it is taken away. */
  async typing(at: Conversation, signal: AbortSignal): Promise<void> {
    // In the chat with oneself nobody is there to see it.
    if (this.#account.self.isAny(at.chatId)) return;
    const recipient = await this.#recipient(at);
    this.#typingTo.add(JSON.stringify(recipient));
    try {
      judge(sendAnswer(await this.#account.client.call("sendTyping", recipient, { signal })), { mayBeDone: false });
    } catch (error) {
      throw errorOfSend(error, { mayBeDone: false });
    }
  }

  /** Takes a typing sign away that was shown; nobody waits for that. */
  #hideTyping(recipient: Recipient): void {
    const { client, logger } = this.#account;
    if (!this.#typingTo.delete(JSON.stringify(recipient))) return;
    client.call("sendTyping", { ...recipient, stop: true }).catch((error: unknown) => {
      logger.debug({ reason: toPlatformError(error).message }, "a typing sign could not be taken away");
    });
  }

  async #post(to: Conversation, piece: Piece, more: object, signal: AbortSignal): Promise<number> {
    const recipient = await this.#recipient(to);
    const begin = () => (this.#mayBeNote(to) ? this.#account.ownNotes.begin(wordsOf(piece)) : null);
    const note = await beforehand(begin);
    try {
      const answer = await this.#deliver(to, { ...recipient, ...contentOf(piece), ...more }, signal);
      const timestamp = answer.timestamp ?? 0;
      note?.sent(timestamp);
      return timestamp;
    } catch (thrown) {
      const error = errorOfSend(thrown, { mayBeDone: true });
      if (error.code !== "PLATFORM_UNCERTAIN") note?.failed();
      throw error;
    } finally {
      // A message takes the sign away; a changed one does not.
      this.#hideTyping(recipient);
    }
  }

  /** Once more as plain text where the styles are refused, and once more where a new safety number is trusted. */
  async #deliver(to: Conversation, params: Params, signal: AbortSignal): Promise<SendAnswer> {
    const { logger } = this.#account;
    try {
      return await this.#call(to, params, signal);
    } catch (error) {
      if ("textStyles" in params && isStyleRefusal(error)) {
        logger.warn({ reason: toPlatformError(error).message }, "styles were refused; the text goes out plain");
        const { textStyles: _, ...plain } = params;
        return await this.#call(to, plain, signal);
      }
      const answer = answerInError(error);
      if (answer && !mayHaveGoneOut(answer) && (await this.#trust(answer, signal)))
        return await this.#call(to, params, signal);
      throw error;
    }
  }

  async #call(to: Conversation, params: Params, signal: AbortSignal): Promise<SendAnswer> {
    const answer = sendAnswer(await this.#account.client.call("send", params, { signal, patienceMs: PATIENCE_MS }));
    const problem = judge(answer, { mayBeDone: true });
    // Whoever is trusted now gets the next message; this one cannot be sent to one person of a group alone.
    const isSolved = problem !== null && (await this.#trust(answer, signal));
    this.#notePartial(to, isSolved ? null : problem);
    return answer;
  }

  /** Notes who of a group did not get a message; null when everybody did. */
  #notePartial(to: Conversation, problem: PlatformError | null): void {
    const { logger, problems } = this.#account;
    if (problem) logger.warn({ chat: to.chatId, reason: problem.message }, "not everybody got a message");
    problems.noteUnsent(to, problem);
  }

  /** Trusts the new safety numbers of recipients, where the config says so; false when there is none to trust. */
  async #trust(answer: SendAnswer, signal: AbortSignal): Promise<boolean> {
    const { client, options, logger } = this.#account;
    const people = untrustedIn(answer);
    if (!options.trustNewIdentities || people.length === 0) return false;
    for (const recipient of people) {
      await client.call("trust", { recipient, trustAllKnownKeys: true }, { signal });
      logger.warn({ person: recipient }, "a new safety number was trusted, as the config says");
    }
    return true;
  }

  /** While the account is not known, any private chat may be the one with oneself. */
  #mayBeNote(to: Conversation): boolean {
    return this.#isSelf(to) || (to.kind === "dm" && this.#account.self.isUnknown);
  }

  #isSelf({ chatId, kind }: Conversation): boolean {
    return kind === "dm" && this.#account.self.isAny(chatId);
  }

  /** A person is reached by the id that their last message came from. */
  async #recipient(to: Conversation): Promise<Recipient> {
    if (to.kind === "group") return { groupId: to.chatId };
    if (this.#isSelf(to)) return { noteToSelf: true };
    const person = await beforehand(() => this.#account.identities.person(to.chatId));
    const [id] = person?.ids ?? [];
    return { recipient: [id?.id ?? to.chatId] };
  }
}

type Params = Readonly<Record<string, unknown>>;

function contentOf({ text, extra }: Piece): Params {
  const textStyles: unknown = extra?.textStyles;
  return {
    message: text,
    ...(Array.isArray(textStyles) ? { textStyles } : {}),
  };
}

function wordsOf({ text, file }: Piece) {
  return { text, fileNames: file ? [fileNameOf(file)] : [] };
}

function isStyleRefusal(error: unknown): boolean {
  return error instanceof RpcRefusal && /invalid (?:text-?style|style)/i.test(error.message);
}

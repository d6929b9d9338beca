import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { InboundMessage, OutboundMessage } from "../../adapter/message.ts";
import { asHermesError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { LOGGER } from "../../base/tokens.ts";
import { sessionName } from "../../command/session-list.ts";
import { type Code, type CodeRefusal, type CodeSender, codeIn, isShownAsCode } from "../../model/code.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import { STORE, type Store } from "../../store/store.ts";
import { type Access, addressOf, keyOf } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { HomeWatch } from "../account/home-watch.ts";
import { errorText } from "../outbound/reply.ts";
import { Intake } from "./intake.ts";
import { withSafeNames } from "./safe-names.ts";

/** How long the platform has to delete a message that held a code, in milliseconds. */
const DELETE_MS = 10_000;

/**
 * Uses the link codes and passes that people send, strangers too. A message that holds one is never kept: neither in the
 * inbox nor in a transcript, and it is deleted where the platform can.
 */
@scoped(Lifecycle.ContainerScoped)
export class SentCodes {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
    @inject(Intake) readonly intake: Intake,
  ) {}

  /** Takes a message that is a code. False where it is none, and is to be taken in like any other. */
  async take(received: InboundMessage): Promise<boolean> {
    const code = codeIn(received.text);
    if (code === null) return false;
    const message = withSafeNames(received);
    const found = await this.store.codes.find(code);
    if (found !== null) this.#delete(message);
    // A code that others read, or that somebody passed on, is used by nobody.
    if (!isOwnPrivateWord(message)) {
      // Whoever edited it into what they wrote before does not want that any more.
      if (found !== null && message.isEdit) {
        await this.intake.retract(message.conversation, message.messageId, message.sender);
      }
      return found !== null;
    }
    const access = await this.intake.accessOf(message);
    const refusal = await this.#redeem(code, found, message, access);
    if (refusal === null) return true;
    // Who is allowed may write words that look like a code; of a stranger it is counted as any message.
    if (access === null || !(found !== null || isMeantAsCode(message.text))) return false;
    const text = refusalText(refusal);
    if (text !== null) await this.store.outbox.enqueue([this.#reply(message, text)]);
    return true;
  }

  /** Returns why it was refused; null where it was used, or could not be for the moment and that was said. */
  async #redeem(
    code: string,
    found: Code | null,
    message: InboundMessage,
    access: Access | null,
  ): Promise<CodeRefusal | null> {
    const { store, adapter } = this;
    const { identities } = this.account;
    const who = this.#sender(message, await identities.current(message.sender));
    try {
      const redemption = await store.codes.redeem({
        ...{
          code,
          who,
          // A guest is nobody but the holder of another pass.
          user: access === null || access.isGuest ? null : access.user,
          messageId: message.messageId,
          mirrors: adapter.capabilities.mirrors,
        },
        outbox: found === null ? [] : [this.#reply(message, await this.#welcome(found, access))],
      });
      if (!redemption.ok) return redemption.reason;
      await identities.keep(message.sender);
      return null;
    } catch (thrown) {
      const error = asHermesError(thrown);
      if (error.code !== "HANDOFF_IN_FLIGHT") throw thrown;
      const typed = (command: string) => adapter.typedCommand(command, message.conversation);
      const text = access === null ? IN_FLIGHT : errorText(error, { typed, isOperator: access.isOperator });
      await store.outbox.enqueue([this.#reply(message, text, { tellsOf: {} })]);
      return null;
    }
  }

  async #welcome({ kind, sessionId }: Code, access: Access | null): Promise<string> {
    if (kind !== "pass") return CLAIMED;
    const session = sessionId && (await this.store.sessions.get(sessionId));
    const title = session === null ? "the session" : `**${sessionName(session)}**`;
    return `You go on here with ${title}.${access === null || access.isGuest ? ` ${AS_GUEST}` : ""}`;
  }

  #sender(message: InboundMessage, sender: InboundMessage["sender"]): CodeSender {
    const { platform, account, options } = this.account;
    const conversation = addressOf(message, options, this.homeWatch.home?.channel ?? null);
    const surface = this.adapter.buildSessionKey(conversation);
    return {
      ...{ platform, account, key: keyOf(sender), id: sender.id, name: sender.name ?? null },
      conversation,
      surface,
    };
  }

  #reply(message: InboundMessage, markdown: string, told: Pick<OutboundMessage, "tellsOf"> = {}): NewOutboxEntry {
    const conversation = addressOf(message, this.account.options, this.homeWatch.home?.channel ?? null);
    const key = this.adapter.buildSessionKey(conversation);
    return { key, conversation, message: { kind: "notice", markdown, ...told } };
  }

  /** In the background: whether it succeeds changes nothing about the code, which is used or over. */
  #delete({ conversation, messageId }: InboundMessage): void {
    const { adapter, logger } = this;
    adapter
      .deleteMessage?.(conversation, messageId, AbortSignal.timeout(DELETE_MS))
      .catch((error: unknown) => logger.info({ error }, "a message that held a code could not be deleted"));
  }
}

const CLAIMED =
  "Got it. The terminal where this code was made shows who sent it, and asks whether it is you: go on there.";

const AS_GUEST =
  "You are its guest: you can talk to the agent in this session and nothing else. It uses no tools for you.";

const IN_FLIGHT = "That session is on its way to another place just now. Send this again in a minute.";

/** Their own words in a private chat: not of a bot, not passed on, and not put into a message afterwards. */
function isOwnPrivateWord({ conversation, sender, isEdit, quotes = [] }: InboundMessage): boolean {
  return conversation.kind === "dm" && !sender.isBot && !isEdit && quotes.length === 0;
}

function isMeantAsCode(text: string): boolean {
  return /^[/!]/.test(text.trim()) || isShownAsCode(text);
}

/** Nobody learns why a code is not valid; null where nothing is said any more. */
function refusalText(refusal: CodeRefusal): string | null {
  if (refusal === "silenced") return null;
  return refusal === "slow"
    ? "Too many wrong codes were sent here lately. Wait a minute, then send yours again."
    : "This code is not valid.";
}

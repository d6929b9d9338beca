import { type Conversation, chatOf, type HomeChannel, onAccount } from "../../adapter/conversation.ts";
import type { InboundMessage, Sender } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { mayDo } from "../../model/may-do.ts";
import { EVERY_SESSION, OPERATOR, type UserId, type Visibility } from "../../model/session.ts";
import { authorOf } from "../../model/turn.ts";
import type { PlatformOptions } from "../../plugin/platform-options.ts";

/** Somebody who may talk to the agent, and what they may see of it. */
export interface Access {
  readonly user: UserId;
  readonly isOperator: boolean;
  readonly visible: Visibility;
}

export interface AccessRules {
  readonly options: Pick<PlatformOptions, "allowedUsers" | "operators" | "allowedBots" | "account">;
  /**
   * Who is the operator because the conversation is the private home channel, as {@link keyOf} has it; null where it is
   * not, or nobody is recorded.
   */
  readonly homePerson: string | null;
}

/** Who the sender is to Hermes, by {@link mayDo}; null for a stranger. */
export function accessOf(
  message: Pick<InboundMessage, "conversation" | "sender">,
  { options, homePerson }: AccessRules,
): Access | null {
  const { conversation, sender } = message;
  const author = authorOf(message);
  const home = homePerson === null ? null : { chat: buildSessionKey(chatOf(conversation)), person: homePerson };
  const grants = { ...options, home };
  if (!mayDo(author, "talk", grants).ok) return null;
  const isOperator = mayDo(author, "operators-command", grants).ok;
  const user = isOperator ? OPERATOR : userIdOf(conversation.platform, options.account, keyOf(sender));
  return { user, isOperator, visible: visibilityOf(conversation, user, isOperator) };
}

/** In a shared chat everybody sees only the sessions begun there: an operator's others are nobody else's business. */
function visibilityOf(conversation: Conversation, user: UserId, isOperator: boolean): Visibility {
  if (conversation.kind !== "dm") {
    return { kind: "of-chat", chat: buildSessionKey(chatOf(conversation)), here: buildSessionKey(conversation) };
  }
  return isOperator ? EVERY_SESSION : { kind: "begun-by", user };
}

/** What stays of somebody whatever ids come and go. */
export function keyOf({ id, person }: Sender): string {
  return person?.key ?? id;
}

/** Of each account anew: what is known of ids, such as a number that passed on, is known on one account alone. */
function userIdOf(platform: string, account: string | undefined, id: string): UserId {
  const at = [platform, ...(account === undefined ? [] : [account])];
  return `${at.map(part).join("@")}:${part(id)}` as UserId;
}

function part(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * The conversation a message belongs to. A group is one conversation for all who are allowed, and so is every thread
 * and every home channel; only where `sessionPerUser` is set has each person of another group one of their own.
 */
export function addressOf(
  message: InboundMessage,
  options: Pick<PlatformOptions, "sessionPerUser" | "account">,
  home: HomeChannel | null,
): Conversation {
  const { userId: _, ...place } = message.conversation;
  // Where the home channel is a thread, the chat around it is like any other.
  const isHome = place.chatId === home?.chatId && home.threadId === undefined;
  const threadId = isHome ? undefined : message.beginsThread;
  const conversation = onAccount(threadId === undefined ? place : { ...place, threadId }, options.account);
  const isShared = conversation.kind === "dm" || conversation.threadId || isHome;
  return options.sessionPerUser && !isShared ? { ...conversation, userId: keyOf(message.sender) } : conversation;
}

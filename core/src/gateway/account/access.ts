import { type Conversation, chatOf, type HomeChannel, onAccount } from "../../adapter/conversation.ts";
import type { InboundMessage, Sender } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { mayDo } from "../../model/may-do.ts";
import { type StandingOf, userOfIdentity } from "../../model/person.ts";
import { EVERY_SESSION, OPERATOR, type UserId, type Visibility } from "../../model/session.ts";
import { authorOf } from "../../model/turn.ts";
import type { PlatformOptions } from "../../plugin/platform-options.ts";

/** Somebody who may talk to the agent, and what they may see of it. */
export interface Access {
  readonly user: UserId;
  /** What stays of them whatever ids come and go: {@link keyOf}. */
  readonly identity: string;
  readonly isOperator: boolean;
  /** They have a pass for this conversation, and may do nothing but talk in it. */
  readonly isGuest: boolean;
  readonly visible: Visibility;
}

export interface AccessRules {
  readonly options: Pick<PlatformOptions, "allowedUsers" | "operators" | "allowedBots" | "account">;
  /**
   * Who is the operator because the conversation is the private home channel, as {@link keyOf} has it; null where it is
   * not, or nobody is recorded.
   */
  readonly homePerson: string | null;
  /** What the store says of the sender, by {@link keyOf}. */
  readonly standing: StandingOf;
}

/** Who the sender is to Hermes, by {@link mayDo}; null for a stranger. */
export function accessOf(
  message: Pick<InboundMessage, "conversation" | "sender">,
  { options, homePerson, standing }: AccessRules,
): Access | null {
  const { conversation, sender } = message;
  const author = authorOf({ sender, conversation: onAccount(conversation, options.account) });
  const home = homePerson === null ? null : { chat: buildSessionKey(chatOf(author.conversation)), person: homePerson };
  const grants = { ...options, home, people: standing.people };
  if (!mayDo(author, "talk", grants).ok) return null;
  const isOperator = mayDo(author, "operators-command", grants).ok;
  const isGuest = !mayDo(author, "command", grants).ok;
  const key = keyOf(sender);
  const { platform } = conversation;
  const linked = sender.isBot ? null : (standing.user ?? (isOperator && homePerson === key ? OPERATOR : null));
  const user = linked ?? userOfIdentity({ platform, account: options.account, key });
  return { user, identity: key, isOperator, isGuest, visible: visibilityOf(conversation, user, isOperator) };
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

/**
 * The conversation a message belongs to. A group is one conversation for all who are allowed, and so is every thread
 * and every home channel; only where `sessionPerUser` is set has each person of another group one of their own.
 */
export function addressOf(
  message: Pick<InboundMessage, "conversation" | "sender" | "beginsThread">,
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

/**
 * Identifies a chat or thread on a platform. Two conversations are the same if their session keys are equal (see
 * {@link buildSessionKey}).
 */
export interface Conversation {
  readonly platform: string;
  /** The id of a chat, as the platform writes it. */
  readonly chatId: string;
  /** `dm`: the bot and one other person. `group`: everything else. */
  readonly kind: ChatKind;
  /** Which of several bot accounts on this platform; left out where there is one. */
  readonly account?: string | undefined;
  /** The namespace of the chat id if it is not unique by itself, such as a workspace. */
  readonly scope?: string | undefined;
  readonly threadId?: string | undefined;
  /** True for a thread that not everybody in its chat can read: Hermes never moves its messages to the chat. */
  readonly isPrivate?: boolean | undefined;
  /** Set only where each person of a group has a session of their own. */
  readonly userId?: string | undefined;
}

/** `dm`: the bot and one other person. `group`: everything else, where others may read. */
export type ChatKind = "dm" | "group";

/** Returns the chat of a conversation, without thread and person. */
export function chatOf({ platform, chatId, kind, account, scope }: Conversation): Conversation {
  return { platform, chatId, kind, account, scope };
}

/** Returns the same conversation with the bot account that serves it. */
export function onAccount(at: Conversation, account: string | undefined): Conversation {
  return account === undefined ? at : { ...at, account };
}

/** The conversation that the operator chose on a platform. */
export interface HomeChannel {
  readonly chatId: string;
  readonly threadId?: string | undefined;
  /** What people call it; shown in messages. */
  readonly name?: string | undefined;
  /** Must be true if others than the operator can read it. */
  readonly shared?: boolean | undefined;
  /** Fail a handoff rather than land in the channel itself when no thread can be opened. */
  readonly requireThread?: boolean | undefined;
  /** Fields of the platform, such as a forum's tag or a workspace. */
  readonly [extra: string]: unknown;
}

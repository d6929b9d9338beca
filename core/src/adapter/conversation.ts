/**
 * A place on a platform: the one type for "where". Two conversations are the same place when their session keys are
 * the same (see {@link buildSessionKey}).
 */
export interface Conversation {
  readonly platform: string;
  /** The id of a chat, as the platform writes it. */
  readonly chatId: string;
  /** `dm`: the bot and one other person. `group`: everything else. */
  readonly kind: ChatKind;
  /** Which of several bot accounts on this platform; left out where there is one. */
  readonly account?: string | undefined;
  /** What a chat id is unique in, where it is not unique by itself: a workspace, say. */
  readonly scope?: string | undefined;
  readonly threadId?: string | undefined;
  /** Of a thread that not everybody in its chat reads: what is said there never goes to the chat by itself. */
  readonly isPrivate?: boolean | undefined;
  /** Set only where each person of a group has a session of their own. */
  readonly userId?: string | undefined;
}

export type ChatKind = "dm" | "group";

/** The chat a conversation is in: the same place without its thread and without its person. */
export function chatOf({ platform, chatId, kind, account, scope }: Conversation): Conversation {
  return { platform, chatId, kind, account, scope };
}

/** The same place, seen from the bot account that serves it. */
export function onAccount(at: Conversation, account: string | undefined): Conversation {
  return account === undefined ? at : { ...at, account };
}

/** The conversation that the operator chose on a platform. */
export interface HomeChannel {
  readonly chatId: string;
  readonly threadId?: string | undefined;
  /** What people call it; shown in messages. */
  readonly name?: string | undefined;
  /** Has to be true where others than the operator can read it. */
  readonly shared?: boolean | undefined;
  /** Fail a handoff rather than land in the channel itself when no thread can be opened. */
  readonly requireThread?: boolean | undefined;
  /** What the platform adds: a forum's tag, a workspace. */
  readonly [extra: string]: unknown;
}

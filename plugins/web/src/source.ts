import type { Conversation, Sender } from "@hermes/core";

export const PLATFORM = "web";

/** The chat id of the home channel, which is also the id of its message list in the file and in the API. */
export const HOME_CHAT_ID = "home";

/** Carries the mark of the page's file, by which `hermes doctor` tells this page from others. */
export const PAGE_HEADER = "Hermes-Page";

/** The one person there is: whoever holds the link that the terminal printed. */
export const OWNER: Sender = { id: "owner" };

/** The conversation that is shown as thread `threadId`; the home channel itself for `home`. */
export function conversationOf(threadId: string, account: string | undefined): Conversation {
  return {
    platform: PLATFORM,
    chatId: HOME_CHAT_ID,
    // One person and the agent: a private chat of the operator, in its threads too.
    kind: "dm",
    ...(account === undefined ? {} : { account }),
    ...(threadId === HOME_CHAT_ID ? {} : { threadId }),
  };
}

/** The opposite of {@link conversationOf}. */
export function threadIdOf(at: Conversation): string {
  return at.threadId ?? HOME_CHAT_ID;
}

/** The page's address of a thread. Holds no secret. */
export function linkTo(baseUrl: string, threadId: string): string {
  return threadId === HOME_CHAT_ID ? `${baseUrl}/` : `${baseUrl}/t/${encodeURIComponent(threadId)}`;
}

import type { Conversation, Sender } from "@hermes/core";

export const PLATFORM = "web";

/** The chat id of the home channel; also its thread id in the file and in the API. */
export const HOME_CHAT_ID = "home";

/** The header with the mark of the page's file, by which `hermes doctor` tells this page from others. */
export const PAGE_HEADER = "Hermes-Page";

/** The page's only person: whoever opened the link that the terminal printed. */
export const OWNER: Sender = { id: "owner" };

/** The conversation that is shown as thread `threadId`; the home channel itself for `home`. */
export function conversationOf(threadId: string, account: string | undefined): Conversation {
  return {
    platform: PLATFORM,
    chatId: HOME_CHAT_ID,
    // A private chat of the operator and the agent, in its threads too.
    kind: "dm",
    ...(account === undefined ? {} : { account }),
    ...(threadId === HOME_CHAT_ID ? {} : { threadId }),
  };
}

/** The inverse of {@link conversationOf}. */
export function threadIdOf(at: Conversation): string {
  return at.threadId ?? HOME_CHAT_ID;
}

/** The page's address of a thread. Holds no secret. */
export function linkTo(baseUrl: string, threadId: string): string {
  return threadId === HOME_CHAT_ID ? `${baseUrl}/` : `${baseUrl}/t/${encodeURIComponent(threadId)}`;
}

import type { Conversation, HomeChannel, PeopleAt } from "@hermes/core";
import { type Connection, readChat } from "./api.ts";
import { conversationIn } from "./source.ts";
// #if threads
import { checkThread } from "./threads.ts";
// #end

/** The home channel as a conversation. What kind of chat it is, Acme says; where the bot cannot see it, Acme refuses. */
export async function homeConversation(connection: Connection, home: HomeChannel): Promise<Conversation> {
  const chat = await readChat(connection, home.chatId);
  // #if threads
  if (home.threadId !== undefined) await checkThread(connection, chat.id, home.threadId);
  // #end
  return conversationIn(chat, {
    account: connection.deps.options.account,
    // #if threads
    threadId: home.threadId,
    // #end
  });
}

/** By Acme's own list: whoever is alone with the bot in a private home channel is the operator. */
export async function peopleAt(connection: Connection, { chatId }: Conversation): Promise<PeopleAt> {
  const { people, isPrivate } = await readChat(connection, chatId);
  return { ids: people, isFixed: isPrivate };
}

import type { Conversation, HomeChannel } from "@hermes/core";
import { notFound } from "../errors.ts";
import type { People } from "../people.ts";
import { conversationIn, isBusinessScopedId, isGroupId, isPhoneNumber, toId } from "../source.ts";

/**
 * The home channel as a conversation. Meta tells of no number whether it is on WhatsApp, so what can be said before the
 * first message is only whether it could be one.
 */
export async function homeConversation(
  { chatId: written }: HomeChannel,
  {
    people,
    ownNumber,
    account,
  }: { readonly people: People; readonly ownNumber: string; readonly account: string | undefined },
): Promise<Conversation> {
  const chatId = toId(written);
  const known = (await people.named(chatId))?.ids.map(({ id }) => id) ?? [];
  checkHome(chatId, ownNumber, known);
  return conversationIn((await people.meet(chatId)).key, account);
}

/** Throws where a home channel can be none. `known`: what else the person is called. */
export function checkHome(chatId: string, ownNumber: string, known: readonly string[] = []): void {
  if (isGroupId(chatId)) {
    throw notFound(`${chatId} is a group`, 'A business number has no groups here: use `transport: "personal"`.');
  }
  if (![chatId, ...known].some((id) => isPhoneNumber(id) || isBusinessScopedId(id))) {
    throw notFound(`${chatId} is no number`, "Write a person's number with its country code, such as +49 170 1234567.");
  }
  if (chatId === ownNumber) {
    throw notFound("it is the business number itself", "Write the number of the person who is to get the messages.");
  }
}

import type { Conversation, HomeChannel } from "@hermes/core";
import { notFound } from "../errors.ts";
import type { People } from "../people.ts";
import { conversationIn, isBusinessScopedId, isGroupId, isPhoneNumber, toId } from "../source.ts";

/**
 * Returns the home channel as a conversation. Checks only its form: Meta does not tell whether a number is on WhatsApp.
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

/** Throws if the id cannot be a home channel. `known`: the person's other ids. */
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

import type { Conversation, HomeChannel } from "@hermes/core";
import type { WASocket } from "@whiskeysockets/baileys";
import { forbidden, notFound } from "../errors.ts";
import type { People } from "../people.ts";
import { conversationIn, isGroupId, isPhoneNumber, toId } from "../source.ts";
import { toPlatformError } from "./errors.ts";

/** Returns the home channel as a conversation. Checks that it exists, and that the account may write to it. */
export async function homeConversation(
  { chatId: written }: HomeChannel,
  {
    socket,
    people,
    account,
    own,
  }: {
    readonly socket: WASocket;
    readonly people: People;
    readonly account: string | undefined;
    /** The account's ids. */
    readonly own: readonly string[];
  },
): Promise<Conversation> {
  const chatId = toId(written);
  if (isGroupId(chatId)) {
    await checkGroup(socket, chatId, own);
    return conversationIn(chatId, account);
  }
  const known = await people.named(chatId);
  const number = (await people.addressesOf(known?.key ?? chatId)).find(isPhoneNumber);
  // An id that hides the number cannot be looked up; it comes from somebody's message.
  if (number !== undefined) await checkNumber(socket, number);
  else if (![chatId, ...(known?.ids ?? []).map(({ id }) => id)].some((id) => id.endsWith("@lid"))) {
    throw notFound(
      `${chatId} is no number`,
      "Write a number with its country code, such as +49 170 1234567, or a group's id (…@g.us).",
    );
  }
  return conversationIn((await people.meet(chatId)).key, account);
}

async function checkNumber(socket: WASocket, number: string): Promise<void> {
  const found = await socket.onWhatsApp(number).catch((error: unknown) => {
    throw toPlatformError(error);
  });
  if (found?.some(({ exists }) => exists)) return;
  throw notFound(
    `${number} is not on WhatsApp`,
    "Check the number and its country code. In some countries it has a digit more or less there than people dial.",
  );
}

async function checkGroup(socket: WASocket, groupId: string, own: readonly string[]): Promise<void> {
  const group = await socket.groupMetadata(groupId).catch((error: unknown) => {
    const { code } = toPlatformError(error);
    if (code !== "PLATFORM_NOT_FOUND" && code !== "PLATFORM_FORBIDDEN") throw toPlatformError(error);
    throw notFound(
      `the account cannot see the group ${groupId}`,
      "Either the id is wrong, or the account was never added to the group or was removed from it, or the group is gone.",
    );
  });
  const self = group.participants.find(
    ({ id, phoneNumber }) => own.includes(toId(id)) || own.includes(toId(phoneNumber ?? "")),
  );
  if (self === undefined) throw forbidden(`the account is not in the group ${group.subject}`, "Add it to the group.");
  if (group.announce && self.admin === null) {
    throw forbidden(
      `only administrators may write in ${group.subject}`,
      "Make the account an administrator, or allow everybody to send messages in the group's settings.",
    );
  }
}

import type { Conversation, HomeChannel } from "@hermes/core";
import { HOW_TO_WRITE_IDS, type IMessageOptions } from "./config.ts";
import type { Directory } from "./directory.ts";
import { errors } from "./errors.ts";
import { refuseSms } from "./outbound.ts";
import { canonicalId, conversationIn, isGroupId, isPersonId } from "./source.ts";
import type { WireChat } from "./wire.ts";

/** Finds out what the home channel is. Throws with what to do where the Mac has no such chat. */
export async function findHome(
  home: Pick<HomeChannel, "chatId">,
  directory: Directory,
  options: Pick<IMessageOptions, "account" | "sms">,
  signal?: AbortSignal,
): Promise<{ readonly conversation: Conversation; readonly chat: WireChat }> {
  const id = canonicalId(home.chatId);
  const kind = isGroupId(id) ? "group" : "dm";
  if (kind === "dm" && !isPersonId(id)) {
    throw errors.notFound(`${JSON.stringify(home.chatId)} is no id`, `In the config, ${HOW_TO_WRITE_IDS}.`);
  }
  refuseSms({ chatId: id }, options);
  const chat = await directory.chat({ chatId: id, kind }, signal);
  const chatId = kind === "group" ? id : await directory.keyOf(id);
  return { conversation: conversationIn(chatId, kind, options.account), chat };
}

import type { Conversation, HomeChannel, Identities, PeopleAt } from "@hermes/core";
import { HOW_TO_WRITE_IDS, type IMessageOptions } from "./config.ts";
import { type Directory, platformId } from "./directory.ts";
import { errors, refuseSms } from "./errors.ts";
import { canonicalId, conversationIn, isSmsId, kindOf } from "./source.ts";

export interface HomeParts {
  readonly directory: Directory;
  readonly options: IMessageOptions;
  /** Left out where nothing is to be kept: everybody has one id then. */
  readonly identities?: Identities;
}

/** What the home channel is. Throws with what to do where the Mac has no such chat. */
export async function homeConversation(
  home: Pick<HomeChannel, "chatId">,
  { directory, options, identities }: HomeParts,
  signal?: AbortSignal,
): Promise<Conversation> {
  const id = canonicalId(home.chatId);
  const kind = kindOf(id);
  if (kind === null) {
    throw errors.notFound(`${JSON.stringify(home.chatId)} is no id`, `In the config, ${HOW_TO_WRITE_IDS}.`);
  }
  refuseSms({ chatId: id }, options);
  refuseSms({ chatId: id }, options, await directory.chat({ chatId: id, kind }, signal));
  const person = kind === "group" || isSmsId(id) ? undefined : await identities?.meet(platformId(id));
  return conversationIn(person?.key ?? id, kind, options.account);
}

/** Nobody joins a private chat; who is in a group, Messages tells. */
export async function peopleAt({ chatId, kind }: Conversation, directory: Directory): Promise<PeopleAt> {
  if (kind === "dm") return { ids: [chatId], isFixed: true };
  const { participants } = await directory.chat({ chatId, kind });
  const people = await Promise.all(participants.map(({ address }) => directory.sender(address, false)));
  return { ids: people.map(({ person, id }) => person?.key ?? id), isFixed: false };
}

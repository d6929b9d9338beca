import type { Conversation, HomeChannel } from "@hermes/core";
import type { Account, FoundAccount } from "./account.ts";
import type { DaemonClient } from "./daemon-client.ts";
import type { KnownGroup } from "./directory.ts";
import { adminsOnly, blocked, errorOfSend, judge, notAnId, notMember, sendAnswer, unregistered } from "./errors.ts";
import { canonicalId, conversationIn, isGroupId, isNumber, isUuid } from "./source.ts";

/** Finds out what the home channel is, and whether it can be written to. Throws with what to do. */
export async function homeConversation(account: Account, home: HomeChannel): Promise<Conversation> {
  const id = canonicalId(home.chatId);
  if (isGroupId(id)) return findGroup(account, id);
  if (!isNumber(id) && !isUuid(id) && !account.self.isAny(id)) throw notAnId(home.chatId);
  const uuid = await findPerson(account, id);
  return conversationIn((await account.identities.holder(uuid))?.key ?? uuid, "dm", account.options.account);
}

async function findGroup(account: Account, id: string): Promise<Conversation> {
  await writableGroup(account, id);
  return conversationIn(id, "group", account.options.account);
}

/** A group that the account may write in. Throws with what to do. */
export async function writableGroup({ directory, self }: FoundAccount, id: string): Promise<KnownGroup> {
  const group = await directory.group(id);
  const quoted = JSON.stringify(group.name);
  if (!group.isMember) throw notMember(quoted);
  if (group.isBlocked) throw blocked(quoted);
  if (group.isAnnouncement && !self.isAny(...group.admins)) throw adminsOnly(quoted);
  return group;
}

/** The service id of a person: it stays when the number changes, and is there when the number is hidden. */
async function findPerson({ client, directory, self }: Account, id: string): Promise<string> {
  if (self.isAny(id)) return self.uuid ?? id;
  const known = await directory.person(id);
  if (known?.isBlocked) throw blocked(id);
  if (known && !known.isUnregistered) return known.uuid;
  const uuid = isUuid(id) ? id : await directory.uuidOf(id);
  if (uuid === null || known?.isUnregistered) throw unregistered(id);
  if (known === null) await checkRegistered(client, uuid);
  return uuid;
}

/** Takes away a typing sign that was never shown: nobody sees that, and Signal says whether the account exists. */
async function checkRegistered(client: DaemonClient, uuid: string): Promise<void> {
  try {
    judge(sendAnswer(await client.call("sendTyping", { recipient: [uuid], stop: true })), { mayBeDone: false });
  } catch (error) {
    throw errorOfSend(error, { mayBeDone: false });
  }
}

import type { Fields } from "./fields.ts";
import { badRequest } from "./refusal.ts";
import { isReaction, REACTIONS, type Row } from "./rows.ts";
import { answered } from "./sending.ts";
import type { World } from "./world.ts";

/** A message can be changed five times, within 15 minutes ("Edit messages on Mac"), and taken back within two. */
const MOST_EDITS = 5;
const EDITABLE_FOR_MS = 15 * 60_000;
const UNSENDABLE_FOR_MS = 2 * 60_000;

/** How long the server waits for a change that Messages does not make, before it answers with the message as it is. */
const CHANGES_WITHIN_MS = 30_000;

/** `POST message/react`. */
export function react(world: World, fields: Fields): unknown {
  const chatGuid = fields.required("chatGuid");
  const guid = fields.required("selectedMessageGuid");
  const reaction = fields.required("reaction");
  if (!isReaction(reaction)) throw badRequest("The selected reaction is invalid.");
  const target = world.database.message(guid);
  const chat = world.database.chat(chatGuid);
  if (target === undefined || chat === undefined) throw badRequest("Selected message does not exist!");
  const row = world.database.insert({ ...tapback(target, reaction), chat, author: "bot", isFromMe: true });
  world.events.tellNew(row, false);
  return { message: "Reaction sent!", data: answered(row) };
}

/** What a row of a tapback has. */
export function tapback(target: Row, reaction: string) {
  const part = fieldsOfPart(target.guid);
  return {
    text: `${VERBS[reaction] ?? "Reacted to"} “${target.text ?? ""}”`,
    ...part,
    associatedMessageType: reaction,
  };
}

function fieldsOfPart(guid: string) {
  return { associatedMessageGuid: `p:0/${guid}` };
}

const VERBS: Readonly<Record<string, string>> = Object.fromEntries(
  ["Loved", "Liked", "Disliked", "Laughed at", "Emphasized", "Questioned"].map((verb, at) => [REACTIONS[at], verb]),
);

/** `POST message/:guid/edit`. */
export async function edit(world: World, guid: string, fields: Fields): Promise<unknown> {
  const text = fields.required("editedMessage");
  fields.required("backwardsCompatibilityMessage");
  const row = ownRow(world, guid);
  const age = world.database.now - row.dateCreated;
  const isPossible = row.earlierTexts.length < MOST_EDITS && age <= EDITABLE_FOR_MS && row.chat.service !== "SMS";
  if (isPossible) {
    row.earlierTexts.push(row.text ?? "");
    Object.assign(row, { text, dateEdited: world.database.now });
    world.events.tellChanged(row);
  } else {
    await world.mac.wait(CHANGES_WITHIN_MS);
  }
  return { message: "Message edited!", data: answered(row) };
}

/** `POST message/:guid/unsend`. */
export async function unsend(world: World, guid: string): Promise<unknown> {
  const row = ownRow(world, guid);
  if (world.database.now - row.dateCreated <= UNSENDABLE_FOR_MS && row.chat.service !== "SMS") {
    Object.assign(row, { text: null, partCount: 0, dateEdited: world.database.now });
    world.events.tellChanged(row);
  } else {
    await world.mac.wait(CHANGES_WITHIN_MS);
  }
  return { message: "Message unsent!", data: answered(row) };
}

function ownRow({ database }: World, guid: string): Row {
  const row = database.message(guid);
  if (row === undefined) throw badRequest("Selected message does not exist!");
  return row;
}

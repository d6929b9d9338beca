import type { Chat, NewRow } from "./rows.ts";
import type { World } from "./world.ts";

/** What somebody does to a group. */
export type GroupChange =
  | { readonly is: "rename"; readonly name: string }
  | { readonly is: "add" | "remove" | "leave"; readonly address: string };

/** Somebody changes a group, by default the first who is in it: a row without a text. */
export function changeGroup(world: World, chat: Chat, change: GroupChange, by?: string): void {
  const { database, events } = world;
  const handle = by === undefined ? (chat.participants[0] ?? null) : database.handle(by);
  const values: NewRow = { chat, author: handle?.address ?? "", isFromMe: false, handle };
  if (change.is === "rename") {
    chat.displayName = change.name;
    const row = database.insert({ ...values, itemType: 2, groupTitle: change.name });
    events.tellGroupChange(row, "group-name-change");
    return;
  }
  const person = database.handle(change.address);
  chat.participants = chat.participants.filter((one) => one !== person);
  if (change.is === "add") chat.participants.push(person);
  const { itemType, groupActionType, event } = KINDS[change.is];
  const who = change.is === "leave" ? { handle: person } : { otherHandle: person.rowId };
  events.tellGroupChange(database.insert({ ...values, itemType, groupActionType, ...who }), event);
}

const KINDS = {
  add: { itemType: 1, groupActionType: 0, event: "participant-added" },
  remove: { itemType: 1, groupActionType: 1, event: "participant-removed" },
  leave: { itemType: 3, groupActionType: 0, event: "participant-left" },
} as const;

import { type Homeserver, SERVER_NAME } from "./homeserver.ts";
import type { RoomRecord } from "./room.ts";
import type { Content } from "./wire.ts";

export interface NewRoom {
  readonly id: string;
  /** Left out of a direct chat. */
  readonly name?: string;
  /** Who is in it, beside whoever makes it. */
  readonly members?: readonly string[];
  readonly isEncrypted?: boolean;
  readonly state?: readonly { readonly type: string; readonly content: Content }[];
}

/** Opens a room; Ada has made it, and may do everything there. */
export function openRoom(server: Homeserver, newRoom: NewRoom): RoomRecord {
  const { id, name, members = [], isEncrypted = false, state = [] } = newRoom;
  const made = (type: string, content: Content) => ({ type, content, sender: ADA });
  const room = server.createRoom(id, [
    made("m.room.create", { room_version: "11" }),
    { ...made("m.room.member", { membership: "join", displayname: "Ada" }), stateKey: ADA },
    made("m.room.power_levels", { users: { [ADA]: 100 }, events_default: 0, state_default: 50 }),
    made("m.room.join_rules", { join_rule: "invite" }),
    made("m.room.history_visibility", { history_visibility: "shared" }),
    ...(name === undefined ? [] : [made("m.room.name", { name })]),
    ...(isEncrypted ? [made("m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" })] : []),
    ...state.map(({ type, content }) => made(type, content)),
  ]);
  for (const userId of members) server.setMembership(room, userId, "join");
  return room;
}

/**
 * Closes a room, and opens another one that follows it, with the same people but the bot: that one is invited, or may
 * come in where the room is public ("Room upgrades").
 */
export function openSuccessor(
  server: Homeserver,
  old: RoomRecord,
  { isPublic }: { readonly isPublic: boolean },
): RoomRecord {
  const next = openRoom(server, {
    id: old.id.replace("!", "!upgraded-"),
    ...(old.state("m.room.name") ? { name: old.name } : {}),
    isEncrypted: old.isEncrypted,
  });
  const setState = (room: RoomRecord, type: string, content: Content) =>
    server.append(room, { type, content, stateKey: "", sender: ADA });
  setState(next, "m.room.create", { room_version: "12", predecessor: { room_id: old.id } });
  for (const userId of old.members("join").filter((one) => one !== ADA && one !== BOT.userId)) {
    server.setMembership(next, userId, "join");
  }
  if (isPublic) setState(next, "m.room.join_rules", { join_rule: "public" });
  else server.setMembership(next, BOT.userId, "invite", ADA);
  setState(old, "m.room.power_levels", { users: { [ADA]: 100 }, events_default: 50 });
  setState(old, "m.room.tombstone", { body: "This room has been replaced", replacement_room: next.id });
  return next;
}

/** The account that Hermes has there. */
export const BOT = {
  userId: `@hermes:${SERVER_NAME}`,
  name: "Hermes",
  password: "the emulated bot's password",
} as const;

/** Whoever writes where nobody is named. */
export const ADA = `@ada:${SERVER_NAME}`;

/** The rooms that are there from the start. */
export const ROOMS = {
  direct: `!direct:${SERVER_NAME}`,
  group: `!group:${SERVER_NAME}`,
  encrypted: `!encrypted:${SERVER_NAME}`,
  encryptedDirect: `!secret:${SERVER_NAME}`,
} as const;

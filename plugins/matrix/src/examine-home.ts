import { type Findings, type HomeChannel, shortName } from "@hermes/core";
import type { MatrixOptions } from "./config.ts";
import type { HomeserverReader } from "./homeserver-reader.ts";
import { MORE_POWER, missingPower } from "./power.ts";
import { type Content, objectOf, stringOf } from "./wire.ts";

/** The algorithm of room encryption that Hermes writes. */
const MEGOLM = "m.megolm.v1.aes-sha2";

/** Rooms that replace one another are followed so far. */
const MOST_UPGRADES = 10;

export interface HomeParts {
  readonly api: HomeserverReader;
  readonly userId: string;
  /** Whether the bot's session has keys for encrypted rooms. */
  readonly hasKeys: boolean;
  readonly options: MatrixOptions;
  readonly found: Findings;
}

/** Looks at the room in which handoffs land. */
export async function examineHome(parts: HomeParts, home: HomeChannel): Promise<void> {
  const { api, found } = parts;
  const named = home.chatId.startsWith("#") ? await roomCalled(api, home.chatId) : home.chatId;
  if (named === null) {
    found.problem(`There is no room called ${shortName(home.chatId)}.`, "Check the alias, or take the room's id (!…).");
    return;
  }
  const roomId = await currentRoom(api, named);
  const members = await membersOf(api, roomId);
  if (members === null) return tellOutside(parts, roomId);
  const name = await nameOf(api, roomId);
  await examineWriting(parts, roomId, name);
  if (home.threadId !== undefined) await examineThread(parts, roomId, home.threadId);
  tellReaders(parts, members, name, home);
}

async function roomCalled(api: HomeserverReader, alias: string): Promise<string | null> {
  const found = await api.find(`/directory/room/${encodeURIComponent(alias)}`);
  return stringOf(found?.room_id) ?? null;
}

/** A room that is upgraded says which one replaces it ("m.room.tombstone"); the gateway follows it. */
async function currentRoom(api: HomeserverReader, roomId: string): Promise<string> {
  let at = roomId;
  for (let left = MOST_UPGRADES; left > 0; left--) {
    const next = stringOf((await api.state(at, "m.room.tombstone"))?.replacement_room);
    if (next === undefined || next === at) break;
    at = next;
  }
  return at;
}

/** Who is in a room or invited, by their ids; null where the bot is not in it. */
async function membersOf(api: HomeserverReader, roomId: string): Promise<string[] | null> {
  const path = `/rooms/${encodeURIComponent(roomId)}`;
  if ((await api.find(`${path}/joined_members`)) === null) return null;
  const { chunk } = (await api.find(`${path}/members?not_membership=leave`)) ?? {};
  const events = Array.isArray(chunk) ? chunk.map(objectOf) : [];
  const isThere = ({ content }: Content) => ["join", "invite"].includes(String(objectOf(content).membership));
  return events.filter(isThere).map(({ state_key: id }) => String(id));
}

/** A server of version 1.15 of the specification says whether the bot is invited ("Room summary"); others do not. */
async function tellOutside({ api, userId, found }: HomeParts, roomId: string): Promise<void> {
  const { errcode, content } = await api.ask(`/_matrix/client/v1/room_summary/${encodeURIComponent(roomId)}`);
  if (errcode === null && content.membership === "invite") {
    const hint = "Start the gateway: it accepts the invitation into the home channel.";
    found.warning("The bot is invited to the home channel, and not in it yet.", hint);
    return;
  }
  const hint = `Invite ${userId} there; a gateway accepts that when it starts. The id stands in the room's settings, under Advanced.`;
  if (errcode === "M_UNRECOGNIZED") {
    found.warning("The bot is not in the home channel, and its server does not tell whether it is invited.", hint);
    return;
  }
  found.problem(`The bot is not in the home channel ${shortName(roomId)}, and not invited there.`, hint);
}

async function nameOf(api: HomeserverReader, roomId: string): Promise<string> {
  const name = shortName(stringOf((await api.state(roomId, "m.room.name"))?.name) ?? "");
  return name === "" ? "the room without a name" : `the room “${name}”`;
}

async function examineWriting({ api, userId, hasKeys, found }: HomeParts, roomId: string, name: string): Promise<void> {
  const encryption = await api.state(roomId, "m.room.encryption");
  const levels = (await api.state(roomId, "m.room.power_levels")) ?? {};
  const missing = missingPower(levels, userId, encryption === null ? "m.room.message" : "m.room.encrypted");
  if (missing !== null) {
    const { own, needed } = missing;
    found.problem(`The bot may not write in ${name}: its power level is ${own}, and ${needed} is needed.`, MORE_POWER);
  } else if (encryption !== null && encryption.algorithm !== MEGOLM) {
    const message = `The home channel is ${name}, whose encryption Hermes does not know.`;
    found.problem(message, "Choose another room as home channel.");
  } else if (encryption !== null && !hasKeys) {
    const message = `The home channel is ${name}, which is encrypted, and the bot's session has no keys for it.`;
    found.problem(message, "Give the bot a session of its own, or choose a room that is not encrypted.");
  } else {
    const how = encryption === null ? "it is not encrypted" : "it is encrypted";
    found.ok(`The home channel is ${name}: the bot may write there, and ${how}.`);
  }
}

async function examineThread({ api, found }: HomeParts, roomId: string, threadId: string): Promise<void> {
  const root = await api.find(`/rooms/${encodeURIComponent(roomId)}/event/${encodeURIComponent(threadId)}`);
  if (root !== null && objectOf(root.unsigned).redacted_because === undefined) {
    found.ok("The thread that it names is there.");
    return;
  }
  const hint = "Write `!sethome` in another thread, or leave `threadId` out of `homeChannel`.";
  found.problem("The thread that the home channel names is gone.", hint);
}

/** With one other person a room is a direct chat, unless the config says that others read there. */
function tellReaders(
  { userId, options, found }: HomeParts,
  members: readonly string[],
  name: string,
  home: HomeChannel,
) {
  const others = members.filter((id) => id !== userId);
  const [first = ""] = others;
  if (others.length === 0) {
    found.warning("Nobody but the bot is in the home channel.", "Enter the room, or choose another one.");
  } else if (home.shared) {
    found.ok(`What is handed off there is read by ${others.length === 1 ? first : `${others.length} people`}.`);
  } else if (others.length === 1) {
    found.ok(`It is a direct chat with ${first}.`);
  } else {
    const message = `In ${name}, ${others.length} people would read each session that is handed off.`;
    found.problem(message, "If that is intended, set `shared: true` on it.");
  }
  const isDirect = others.length === 1 && !home.shared;
  if (isDirect || options.allowedUsers.length > 0 || options.operators.length > 0) return;
  found.warning(
    "The config names nobody whom the bot answers in rooms of several people.",
    "Put your own id (@you:example.org) into `operators`.",
  );
}

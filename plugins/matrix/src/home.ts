import { type Conversation, type HomeChannel, type PeopleAt, PlatformError } from "@hermes/core";
import type { MatrixApi } from "./api.ts";
import type { Bot, SignedIn } from "./bot.ts";
import { forbidden, notFound, threadGone } from "./errors.ts";
import { MORE_POWER, missingPower } from "./power.ts";
import { conversationIn } from "./source.ts";
import { isRedacted } from "./wire.ts";

/**
 * Finds the room that is the home channel, enters it where the bot is invited, and makes sure that it can write there.
 * Throws PLATFORM_NOT_FOUND or PLATFORM_FORBIDDEN with what to do.
 */
export async function homeConversation(bot: Bot, home: HomeChannel): Promise<Conversation> {
  const { api, rooms, outbound, guests, options } = bot;
  const id = rooms.canonical(await resolve(api, home.chatId));
  const roomId = rooms.current(id);
  guests.setHome(id);
  await enter(bot, roomId);
  const isEncrypted = await outbound.isEncrypted(roomId);
  await checkPower(bot, roomId, isEncrypted ? "m.room.encrypted" : "m.room.message");
  if (home.shared === true) rooms.share(id);
  if (home.threadId !== undefined) {
    const root = await api.event(roomId, home.threadId);
    if (root === null || isRedacted(root)) throw threadGone();
  }
  return conversationIn({ id, kind: await rooms.kindOf(roomId) }, home.threadId, options.account);
}

/** How many people of a room are named at most: with more than one it is clear that it is not private. */
const MOST_NAMED = 10;

/** Who is in a room beside the bot. People come and go in every room, also where there are two in it. */
export async function peopleAt({ rooms, userId }: Bot, { chatId }: Conversation): Promise<PeopleAt> {
  const members = await rooms.joined(rooms.current(chatId));
  if (!members.includes(userId)) throw forbidden("the bot is not in the room any more", "Invite it again.");
  return { ids: members.filter((id) => id !== userId).slice(0, MOST_NAMED), isFixed: false };
}

/**
 * Tells the others which room the config names as home, before anything is received: people there may be answered. What
 * is wrong with it, `homeConversation` says.
 */
export async function expectHome({ api, rooms, guests }: SignedIn, home: HomeChannel): Promise<void> {
  const id = await resolve(api, home.chatId).catch(() => home.chatId);
  guests.setHome(rooms.canonical(id));
  if (home.shared === true) rooms.share(rooms.canonical(id));
}

/** An alias may be moved to another room; it is asked for whenever the home channel is. */
async function resolve(api: MatrixApi, chatId: string): Promise<string> {
  if (!chatId.startsWith("#")) return chatId;
  const roomId = await api.resolveAlias(chatId);
  if (roomId === null) throw notFound(`there is no room called ${chatId}`, "Check the alias, or take the room's id.");
  return roomId;
}

async function enter({ api, userId }: Bot, roomId: string): Promise<void> {
  try {
    const members = await api.joinedMembers(roomId);
    if (members.includes(userId)) return;
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  try {
    await api.join(roomId, serversOf(roomId, userId));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw notFound(
      `the bot ${userId} is not in the room ${roomId} and cannot enter it`,
      `Either the id is wrong, or the bot has not been invited, or it was removed. Invite ${userId} there; the id stands in the room's settings, under Advanced.`,
    );
  }
}

/** What a user needs to write stands in the power levels ("m.room.power_levels"). */
async function checkPower({ api, userId }: Bot, roomId: string, type: string): Promise<void> {
  const levels = (await api.state(roomId, "m.room.power_levels")) ?? {};
  const missing = missingPower(levels, userId, type);
  if (missing === null) return;
  throw forbidden(
    `the bot may not write in the room: its power level is ${missing.own}, and ${missing.needed} is needed`,
    MORE_POWER,
  );
}

/** Room ids name a server up to room version 11; it may help to find the room, and is taken for nothing else. */
function serversOf(roomId: string, userId: string): string[] {
  const server = (id: string) => (id.includes(":") ? [id.slice(id.indexOf(":") + 1)] : []);
  return [...new Set([...server(roomId), ...server(userId)])];
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof PlatformError)) return false;
  return ["PLATFORM_FORBIDDEN", "PLATFORM_NOT_FOUND", "PLATFORM_REJECTED"].includes(error.code);
}

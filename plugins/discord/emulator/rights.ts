import type { ChannelRecord, World } from "./world.ts";

/** Permission bits (API reference, "Bitwise Permission Flags"), by the names that discord.js gives them. */
export const RIGHTS = {
  ManageChannels: 1n << 4n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  ManageMessages: 1n << 13n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  UseApplicationCommands: 1n << 31n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  SendMessagesInThreads: 1n << 38n,
} as const;

export type Right = keyof typeof RIGHTS;

/** What the invite link of README.md asks for. */
export const BOT_RIGHTS = (
  [
    "ViewChannel",
    "SendMessages",
    "EmbedLinks",
    "AttachFiles",
    "ReadMessageHistory",
    "UseApplicationCommands",
    "ManageThreads",
    "CreatePublicThreads",
    "SendMessagesInThreads",
  ] as const
).reduce((bits, right) => bits | RIGHTS[right], 0n);

/** Whether the bot has a right in a channel; a thread has those of its parent. In a private chat it has all it needs. */
export function hasRight(world: World, channel: ChannelRecord, right: Right): boolean {
  if (channel.guildId === null) return true;
  if (!world.isInServer || (isTimedOut(world) && !READING.includes(right))) return false;
  const place = channel.parentId === null ? channel : (world.channels.get(channel.parentId) ?? channel);
  return (world.botRights & ~place.denied & RIGHTS[right]) !== 0n;
}

/** What a member who is timed out may still do. */
const READING: readonly Right[] = ["ViewChannel", "ReadMessageHistory"];

function isTimedOut({ timedOutUntil, clock }: World): boolean {
  return timedOutUntil > clock.now();
}

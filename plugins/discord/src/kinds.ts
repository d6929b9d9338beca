import type { ChannelType } from "discord.js";

/** Kinds of channels (API reference, "Channel Types"), for what must not load discord.js. */
export const KIND = {
  text: 0,
  dm: 1,
  voice: 2,
  category: 4,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  privateThread: 12,
  stage: 13,
  forum: 15,
  media: 16,
} as const satisfies Readonly<Record<string, ChannelType>>;

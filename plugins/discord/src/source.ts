import type { Conversation } from "@hermes/core";
import type { ChannelType } from "discord.js";
import { KIND } from "./kinds.ts";

export const PLATFORM = "discord";

/** A channel, as far as Hermes needs to know it. */
export interface Channel {
  readonly id: string;
  readonly type: ChannelType;
  /** Null for a direct message. */
  readonly guildId: string | null;
  readonly name: string | null;
  /** Of a thread: the channel it is in. Of another channel: its category. */
  readonly parentId: string | null;
}

const THREADS: readonly ChannelType[] = [KIND.publicThread, KIND.privateThread, KIND.announcementThread];

export function isThread({ type }: Pick<Channel, "type">): boolean {
  return THREADS.includes(type);
}

/** A forum or a media channel: holds posts, which are threads, and no messages. */
export function isForum({ type }: Pick<Channel, "type">): boolean {
  return type === KIND.forum || type === KIND.media;
}

export function holdsThreads(channel: Pick<Channel, "type">): boolean {
  return channel.type === KIND.text || channel.type === KIND.announcement || isForum(channel);
}

/**
 * The conversation in a channel. A thread is its parent and its own id, so that what is bound by a handoff and what a
 * person writes later, where Discord names the thread alone, have one key.
 */
export function conversationIn(channel: Channel): Conversation {
  // A group of friends has no server either.
  if (channel.guildId === null) {
    return { platform: PLATFORM, chatId: channel.id, kind: channel.type === KIND.dm ? "dm" : "group" };
  }
  if (isThread(channel) && channel.parentId !== null) {
    return {
      platform: PLATFORM,
      chatId: channel.parentId,
      kind: "group",
      threadId: channel.id,
      ...(channel.type === KIND.privateThread && { isPrivate: true }),
    };
  }
  return { platform: PLATFORM, chatId: channel.id, kind: "group" };
}

/** The channel that Discord is to be told: a thread is one. */
export function channelIdOf({ chatId, threadId }: Conversation): string {
  return threadId ?? chatId;
}

/** A link that opens a channel, or a message in it, in the app and in the browser. */
export function linkTo({ id, guildId }: Pick<Channel, "id" | "guildId">, messageId?: string): string {
  const place = `https://discord.com/channels/${guildId ?? "@me"}/${id}`;
  return messageId === undefined ? place : `${place}/${messageId}`;
}

/** Whether a text has the form of Discord's ids (API reference, "Snowflakes"). */
export function isSnowflake(text: string): boolean {
  return /^\d{15,20}$/.test(text);
}

/** The first second of 2015, from which snowflakes count, in milliseconds (API reference, "Snowflakes"). */
const EPOCH_MS = 1_420_070_400_000n;

/** When an id was made, in milliseconds since 1970. */
export function timeOf(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH_MS);
}

/** The first id of a moment, in milliseconds since 1970. */
export function snowflakeAt(time: number): string {
  return String((BigInt(Math.floor(time)) - EPOCH_MS) << 22n);
}

/** Whether the id `a` was made after `b`. */
export function isAfter(a: string, b: string): boolean {
  return BigInt(a) > BigInt(b);
}

import type { Clock } from "@hermes/core";
import type { ActionRow } from "./components.ts";
import { BOT_RIGHTS } from "./rights.ts";

/** Kinds of channels (API reference, "Channel Types"). */
export const KIND = {
  text: 0,
  dm: 1,
  voice: 2,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  privateThread: 12,
  forum: 15,
  media: 16,
} as const;

export interface ChannelRecord {
  readonly id: string;
  readonly type: number;
  readonly name: string;
  /** Null for a private chat. */
  readonly guildId: string | null;
  /** The channel that a thread is in. */
  readonly parentId: string | null;
  /** Who opened the thread. */
  readonly ownerId: string | null;
  readonly tags: readonly { readonly id: string; readonly name: string; readonly moderated: boolean }[];
  readonly requiresTag: boolean;
  readonly appliedTags: readonly string[];
  readonly recipientId: string | null;
  readonly messages: MessageRecord[];
  /** Rights that the bot does not have here. */
  denied: bigint;
  archived: boolean;
  /** When that changed last, in milliseconds since 1970. */
  archivedAt: number;
  locked: boolean;
}

/** A message as the API has it, and what only the server knows. */
export interface MessageRecord {
  readonly id: string;
  readonly authorId: string;
  readonly isBot: boolean;
  readonly authorName: string;
  readonly type: number;
  readonly sentAt: number;
  readonly nonce: string | null;
  readonly webhookId: string | null;
  readonly replyTo: string | null;
  /** What it passes on from elsewhere ("Message Snapshots"). */
  readonly forwarded?: string | null;
  readonly mentionsBot: boolean;
  /** What the API shows of it besides. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Of what the bot wrote: what in its text may notify people ("Allowed Mentions Object"). */
  readonly allowedMentions?: unknown;
  attachments: readonly FileRecord[];
  content: string;
  components: readonly ActionRow[];
  flags: number;
  editedAt: number | null;
  threadId: string | null;
}

export interface FileRecord {
  readonly id: string;
  readonly name: string;
  /** What apps show instead of the name, without its ending. */
  readonly title: string | null;
  readonly mediaType: string;
  readonly content: Buffer;
}

export const BOT = { id: "200000000000000001", name: "Hermes", applicationId: "200000000000000002" } as const;
export const BOT_ROLE_ID = "200000000000000003";
export const PERSON = { id: "300000000000000001", name: "Ada" } as const;
export const GUILD = { id: "100000000000000001", name: "Emulated server" } as const;

/** The channels that are there from the start. */
export const CHANNEL = {
  dm: "400000000000000001",
  general: "400000000000000002",
  announcements: "400000000000000003",
  forum: "400000000000000004",
  media: "400000000000000005",
  /** A forum in which every post needs a tag. */
  taggedForum: "400000000000000006",
  voice: "400000000000000007",
  /** A thread in `general` that somebody else opened. */
  standingThread: "400000000000000008",
  /** A private thread in `general` that somebody else opened and added the bot to. */
  privateThread: "400000000000000009",
} as const;

/** All that the emulated server holds. */
export interface World {
  readonly clock: Clock;
  /** When the bot joined the server, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly nextId: () => string;
  readonly channels: Map<string, ChannelRecord>;
  /** Names of people who have written. */
  readonly people: Map<string, string>;
  readonly botRights: bigint;
  /** Which limit of active threads is reached. */
  threadLimit: "none" | "threads" | "announcement-threads";
  isMessageContentAllowed: boolean;
  /** Whether the bot is in the server; it sees nothing of it otherwise. */
  isInServer: boolean;
  /** The server's boost level, from 0 to 3 ("Premium Tier"). */
  boostLevel: number;
  /** Until when the bot may not write in the server, in milliseconds since 1970. */
  timedOutUntil: number;
  /** Nonces that are still compared. */
  readonly nonces: Map<string, MessageRecord>;
}

export function createWorld(clock: Clock): World {
  const channels = [
    channel({ id: CHANNEL.dm, type: KIND.dm, name: "", guildId: null, recipientId: PERSON.id }),
    channel({ id: CHANNEL.general, type: KIND.text, name: "general" }),
    channel({ id: CHANNEL.announcements, type: KIND.announcement, name: "announcements" }),
    channel({ id: CHANNEL.forum, type: KIND.forum, name: "forum", tags: tagsOf("sessions") }),
    channel({ id: CHANNEL.media, type: KIND.media, name: "media" }),
    channel({
      id: CHANNEL.taggedForum,
      type: KIND.forum,
      name: "tagged-forum",
      tags: tagsOf("sessions", "questions"),
      requiresTag: true,
    }),
    channel({ id: CHANNEL.voice, type: KIND.voice, name: "voice" }),
    channel({
      id: CHANNEL.standingThread,
      type: KIND.publicThread,
      name: "standing thread",
      parentId: CHANNEL.general,
      ownerId: PERSON.id,
    }),
    channel({
      id: CHANNEL.privateThread,
      type: KIND.privateThread,
      name: "private thread",
      parentId: CHANNEL.general,
      ownerId: PERSON.id,
    }),
  ];
  return {
    clock,
    startedAt: clock.now(),
    nextId: createSnowflakes(clock),
    channels: new Map(channels.map((one) => [one.id, one])),
    people: new Map([[PERSON.id, PERSON.name]]),
    botRights: BOT_RIGHTS,
    threadLimit: "none",
    isMessageContentAllowed: true,
    isInServer: true,
    boostLevel: 0,
    timedOutUntil: 0,
    nonces: new Map(),
  };
}

export function channel(
  fields: Pick<ChannelRecord, "id" | "type" | "name"> & Partial<Omit<ChannelRecord, "messages">>,
): ChannelRecord {
  return {
    guildId: GUILD.id,
    parentId: null,
    ownerId: null,
    tags: [],
    requiresTag: false,
    appliedTags: [],
    recipientId: null,
    denied: 0n,
    archived: false,
    archivedAt: 0,
    locked: false,
    ...fields,
    messages: [],
  };
}

function tagsOf(...names: readonly string[]): ChannelRecord["tags"] {
  return names.map((name, index) => ({ id: `50000000000000000${index + 1}`, name, moderated: false }));
}

export function isThread({ type }: Pick<ChannelRecord, "type">): boolean {
  return type === KIND.publicThread || type === KIND.announcementThread || type === KIND.privateThread;
}

export function isForum({ type }: Pick<ChannelRecord, "type">): boolean {
  return type === KIND.forum || type === KIND.media;
}

export function threadsIn(world: World, parentId: string): ChannelRecord[] {
  return [...world.channels.values()].filter((one) => isThread(one) && one.parentId === parentId);
}

/** The first second of 2015, from which snowflakes count (API reference, "Snowflakes"). */
const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** Makes ids that grow with time, as Discord's do. */
function createSnowflakes(clock: Clock): () => string {
  let last = 0n;
  return () => {
    const now = (BigInt(clock.now()) - DISCORD_EPOCH_MS) << 22n;
    last = now > last ? now : last + 1n;
    return String(last);
  };
}

/** Whether `a` was made after `b`. Ids are compared as numbers: they may differ in length. */
export function isAfter(a: string, b: string): boolean {
  return BigInt(a) > BigInt(b);
}

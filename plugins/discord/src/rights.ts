import type { ChannelType } from "discord.js";
import { KIND } from "./kinds.ts";

/** Bits of the rights that Hermes may need (API reference, "Bitwise Permission Flags"), by discord.js' names for them. */
const BITS = {
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  EmbedLinks: 1n << 14n,
  AttachFiles: 1n << 15n,
  ReadMessageHistory: 1n << 16n,
  UseApplicationCommands: 1n << 31n,
  ManageThreads: 1n << 34n,
  CreatePublicThreads: 1n << 35n,
  SendMessagesInThreads: 1n << 38n,
} as const;

const ADMINISTRATOR = 1n << 3n;

export type Right = keyof typeof BITS;

/** Their names in Discord's settings. */
const LABELS: Readonly<Record<Right, string>> = {
  ViewChannel: "View Channel",
  SendMessages: "Send Messages",
  EmbedLinks: "Embed Links",
  AttachFiles: "Attach Files",
  ReadMessageHistory: "Read Message History",
  UseApplicationCommands: "Use Slash Commands",
  ManageThreads: "Manage Threads",
  CreatePublicThreads: "Create Public Threads",
  SendMessagesInThreads: "Send Messages in Threads",
};

/** In a forum the same rights have other names. */
const FORUM_LABELS: Readonly<Partial<Record<Right, string>>> = {
  SendMessages: "Create Posts",
  SendMessagesInThreads: "Send Messages in Posts",
  ManageThreads: "Manage Posts",
};

/** What a right is called in the settings of a channel, or of a forum. */
export function labelOf(right: Right, isInForum: boolean): string {
  return (isInForum && FORUM_LABELS[right]) || LABELS[right];
}

/** Kinds of channel that people write in, and what the bot needs to be of any use there. */
export const NEEDED: Readonly<Partial<Record<ChannelType, readonly Right[]>>> = {
  [KIND.text]: ["ViewChannel"],
  [KIND.announcement]: ["ViewChannel"],
  [KIND.forum]: ["ViewChannel", "SendMessages", "SendMessagesInThreads"],
  [KIND.media]: ["ViewChannel", "SendMessages", "SendMessagesInThreads"],
  [KIND.publicThread]: ["ViewChannel", "SendMessagesInThreads"],
  [KIND.privateThread]: ["ViewChannel", "SendMessagesInThreads"],
  [KIND.announcementThread]: ["ViewChannel", "SendMessagesInThreads"],
};

/** A text channel is of use with either of these: for messages in it, or for threads. */
export const WRITING: readonly (readonly Right[])[] = [
  ["SendMessages"],
  ["CreatePublicThreads", "SendMessagesInThreads"],
];

/** What the invite link asks for; README.md lists the same, and a test holds the two together. */
export const INVITED = Object.keys(BITS) as Right[];

/** The page on which somebody adds the bot to a server, with the rights that it needs. */
export function inviteLink(applicationId: string): string {
  const permissions = INVITED.reduce((bits, right) => bits | BITS[right], 0n);
  return `https://discord.com/oauth2/authorize?client_id=${applicationId}&scope=bot+applications.commands&permissions=${permissions}`;
}

/** An overwrite of a channel ("Overwrite Object"). */
export interface Overwrite {
  readonly id: string;
  readonly allow: string;
  readonly deny: string;
}

/** What decides on the rights of a member of a server in one of its channels. */
export interface RightsSource {
  readonly guildId: string;
  readonly userId: string;
  readonly memberRoles: readonly string[];
  readonly roles: readonly { readonly id: string; readonly permissions: string }[];
  readonly overwrites: readonly Overwrite[];
  /** A member who is timed out sees and reads, and does nothing else. */
  readonly isTimedOut: boolean;
}

/** Those of `needed` that a member lacks in a channel, as Discord counts ("Permission Hierarchy"). */
export function missingRights(needed: readonly Right[], source: RightsSource): Right[] {
  const rights = rightsOf(source);
  return needed.filter((right) => (rights & BITS[right]) === 0n);
}

function rightsOf({ guildId, userId, memberRoles, roles, overwrites, isTimedOut }: RightsSource): bigint {
  const own = roles.filter(({ id }) => id === guildId || memberRoles.includes(id));
  const base = own.reduce((bits, { permissions }) => bits | BigInt(permissions), 0n);
  if ((base & ADMINISTRATOR) !== 0n) return ~0n;
  // Those of everybody first, then those of all roles together, then the member's own.
  const steps = [
    overwrites.filter(({ id }) => id === guildId),
    overwrites.filter(({ id }) => memberRoles.includes(id)),
    overwrites.filter(({ id }) => id === userId),
  ];
  const rights = steps.reduce((bits, step) => {
    const all = (way: "allow" | "deny") => step.reduce((sum, overwrite) => sum | BigInt(overwrite[way]), 0n);
    return (bits & ~all("deny")) | all("allow");
  }, base);
  if ((rights & BITS.ViewChannel) === 0n) return 0n;
  return isTimedOut ? rights & (BITS.ViewChannel | BITS.ReadMessageHistory) : rights;
}

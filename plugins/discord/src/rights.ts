import { ChannelType, type Client, PermissionFlagsBits } from "discord.js";
import type { Place } from "./errors.ts";
import { type Channel, isForum, isThread } from "./source.ts";

/** A right that Hermes may need, by the name that discord.js gives it. */
export type Right = Extract<
  keyof typeof PermissionFlagsBits,
  | "ViewChannel"
  | "SendMessages"
  | "SendMessagesInThreads"
  | "CreatePublicThreads"
  | "AttachFiles"
  | "ReadMessageHistory"
  | "ManageThreads"
>;

/** Their names in Discord's settings. */
const LABELS: Readonly<Record<Right, string>> = {
  ViewChannel: "View Channel",
  SendMessages: "Send Messages",
  SendMessagesInThreads: "Send Messages in Threads",
  CreatePublicThreads: "Create Public Threads",
  AttachFiles: "Attach Files",
  ReadMessageHistory: "Read Message History",
  ManageThreads: "Manage Threads",
};

/** In a forum the same rights have other names. */
const FORUM_LABELS: Readonly<Partial<Record<Right, string>>> = {
  SendMessages: "Create Posts",
  SendMessagesInThreads: "Send Messages in Posts",
  ManageThreads: "Manage Posts",
};

/** What the bot may do where, as far as the connection has told. */
export class Rights {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Those of `needed` that the bot certainly lacks in a channel; a thread has the rights of its parent. */
  missing(channel: Channel, needed: readonly Right[]): Right[] {
    const known = this.#client.channels.cache.get(this.#placeOf(channel));
    const { user } = this.#client;
    if (!known || !user || !("permissionsFor" in known)) return [];
    const permissions = known.permissionsFor(user);
    return permissions === null ? [] : needed.filter((right) => !permissions.has(PermissionFlagsBits[right]));
  }

  /** The place for the sentence of an error. */
  describe(channel: Channel, needed: readonly Right[]): Place {
    const parent = this.#client.channels.cache.get(this.#placeOf(channel));
    const inForum = isForum(parent ?? channel);
    const label = (right: Right) => (inForum && FORUM_LABELS[right]) || LABELS[right];
    const place = isThread(channel) && parent && "name" in parent && parent.name !== null ? parent.name : channel.name;
    return {
      name: place === null ? "the direct messages" : `#${place}`,
      isThread: isThread(channel),
      isPrivate: channel.type === ChannelType.PrivateThread,
      missingRights: this.missing(channel, needed).map(label),
      neededRights: needed.map(label),
    };
  }

  #placeOf(channel: Channel): string {
    return isThread(channel) && channel.parentId !== null ? channel.parentId : channel.id;
  }
}

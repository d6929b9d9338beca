import { type APIChannel, ChannelType, type Client, PermissionFlagsBits, RESTJSONErrorCodes, Routes } from "discord.js";
import { codeOf, type ErrorPlace, toPlatformError } from "./errors.ts";
import { labelOf, type Right } from "./rights.ts";
import { type Channel, isForum, isThread } from "./source.ts";

/**
 * Looks channels up and remembers them. A message in a thread names the thread alone: its parent, which is half of the
 * conversation's key, comes from here.
 */
export class Channels {
  readonly #client: Client;
  /** What the connection does not keep: closed and deleted threads, direct messages. What is kept of them never changes. */
  readonly #remembered = new Map<string, Channel>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** A channel as it was last seen; asks Discord for one that was not. Throws what Discord answers. */
  async get(id: string, signal?: AbortSignal): Promise<Channel> {
    return this.known(id) ?? this.fetch(id, signal);
  }

  /** Null for a channel that the bot cannot see. Throws a PlatformError. */
  async find(id: string): Promise<Channel | null> {
    try {
      return await this.get(id);
    } catch (error) {
      if (isUnseen(error)) return null;
      throw toPlatformError(error);
    }
  }

  known(id: string): Channel | null {
    const cached = this.#client.channels.cache.get(id);
    if (cached && !cached.isDMBased()) {
      const { type, guildId, name, parentId } = cached;
      const channel = { id, type, guildId, name, parentId };
      // The connection forgets a thread that is deleted, and whether it was a private one.
      if (isThread(channel)) this.#remembered.set(id, channel);
      return channel;
    }
    return this.#remembered.get(id) ?? null;
  }

  async fetch(id: string, signal?: AbortSignal): Promise<Channel> {
    return this.remember(await this.fetchWhole(id, signal));
  }

  /** "Get Channel", with everything that the API tells of it. */
  async fetchWhole(id: string, signal?: AbortSignal): Promise<APIChannel> {
    return (await this.#client.rest.get(Routes.channel(id), { ...(signal && { signal }) })) as APIChannel;
  }

  /** A message from the gateway that names no server stands in a direct message. */
  rememberDirect(id: string, type: ChannelType = ChannelType.DM): void {
    this.#remembered.set(id, { id, type, guildId: null, name: null, parentId: null });
  }

  remember(channel: APIChannel): Channel {
    const known: Channel = {
      id: channel.id,
      type: channel.type,
      guildId: "guild_id" in channel ? (channel.guild_id ?? null) : null,
      name: channel.name ?? null,
      parentId: "parent_id" in channel ? (channel.parent_id ?? null) : null,
    };
    this.#remembered.set(known.id, known);
    return known;
  }
}

/** Whether Discord said that there is no such channel, or none for the bot. */
export function isUnseen(error: unknown): boolean {
  const code = codeOf(error);
  return code === RESTJSONErrorCodes.UnknownChannel || code === RESTJSONErrorCodes.MissingAccess;
}

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

  /**
   * Asks Discord for what the connection may have missed: the channel's overwrites, the server's roles, and the bot's
   * own.
   */
  async lookUp(channel: Channel): Promise<void> {
    const options = { force: true };
    const known = this.#client.channels.cache.get(this.#placeOf(channel));
    if (!known || !("guild" in known)) return;
    const { guild } = known;
    // What cannot be asked for stays as it is known.
    await Promise.allSettled([
      this.#client.channels.fetch(known.id, options),
      guild.roles.fetch(undefined, options),
      guild.members.fetchMe(options),
    ]);
  }

  /** The place for the sentence of an error. */
  describe(channel: Channel, needed: readonly Right[]): ErrorPlace {
    const parent = this.#client.channels.cache.get(this.#placeOf(channel));
    const inForum = isForum(parent ?? channel);
    const label = (right: Right) => labelOf(right, inForum);
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

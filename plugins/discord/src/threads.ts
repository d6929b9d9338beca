import type { HandoffThread, ThreadOptions } from "@hermes/core";
import {
  type APIChannel,
  type APIThreadChannel,
  ChannelType,
  type Client,
  RESTJSONErrorCodes as Code,
  type RESTGetAPIGuildThreadsResult,
  Routes,
  ThreadAutoArchiveDuration,
} from "discord.js";
import { type Channels, isUnseen } from "./channels.ts";
import { codeOf, isRefusal, lackingRights, toPlatformError } from "./errors.ts";
import { forumTag } from "./forum-tag.ts";
import { digestOf, type Intent, type Journal } from "./journal.ts";
import { threadName } from "./name.ts";
import type { Outbound } from "./outbound.ts";
import type { Right, Rights } from "./rights.ts";
import { type Channel, conversationIn, isAfter, isForum, isThread, linkTo } from "./source.ts";

export interface ThreadsParts {
  readonly client: Client;
  readonly channels: Channels;
  readonly rights: Rights;
  readonly journal: Journal;
  readonly outbound: Outbound;
  readonly userId: string;
  /** Called with a thread that was opened, so that what people write in it is not missed. */
  readonly onOpened: (threadId: string) => void;
}

/** What opening a thread and then writing in it needs. */
const NEEDED: readonly Right[] = ["ViewChannel", "SendMessages", "CreatePublicThreads", "SendMessagesInThreads"];
const NEEDED_IN_FORUM: readonly Right[] = ["ViewChannel", "SendMessages", "SendMessagesInThreads"];

/** Refusals of a thread without a message that say nothing about one that begins with a message. */
const TRY_WITH_MESSAGE: readonly (number | null)[] = [
  Code.MissingAccess,
  Code.MissingPermissions,
  Code.CannotExecuteActionOnThisChannelType,
];

/** A thread that goes quiet leaves the list of channels after a day; whoever writes in it brings it back. */
const AUTO_ARCHIVE = ThreadAutoArchiveDuration.OneDay;

/** Opens threads for sessions that are handed off, and finds and removes them again. */
export class Threads {
  readonly #parts: ThreadsParts;

  constructor(parts: ThreadsParts) {
    this.#parts = parts;
  }

  /** Null where there are no threads by nature: in direct messages, in voice channels. */
  async open(parentId: string, title: string, { home, mark, signal }: ThreadOptions): Promise<HandoffThread | null> {
    const { channels, journal } = this.#parts;
    let raw: APIChannel;
    try {
      raw = await channels.fetchWhole(parentId, signal);
    } catch (error) {
      throw toPlatformError(error, {
        name: `channel ${parentId}`,
        isThread: false,
        missingRights: [],
        neededRights: ["View Channel"],
      });
    }
    const parent = channels.remember(raw);
    if (isThread(parent)) return this.#threadIn(parent);
    if (!holdsThreads(parent)) return null;

    const name = threadName(title);
    const found = await this.find(parent, mark, signal);
    if (found) return found;
    const key = keyOf(mark);
    if (!journal.get(key)) journal.begin(key, threadsOf(parent), name);
    try {
      const thread = await this.#make(parent, raw, name, { home, mark, signal });
      journal.settle(key, thread.id);
      return await this.#handOver(parent, channels.remember(thread), signal);
    } catch (error) {
      return this.#afterFailure(error, parent, { mark, signal });
    }
  }

  /** Whoever gave up waiting knows nothing of the thread, and nobody would ever write in it. */
  async #handOver(parent: Channel, thread: Channel, signal: AbortSignal): Promise<HandoffThread> {
    if (!signal.aborted) return this.#opened(thread);
    await this.remove(parent.id, thread.id);
    throw signal.reason;
  }

  /** The thread that was opened with `mark` in a channel; null when there is certainly none. */
  async find(parent: Channel, mark: string, signal?: AbortSignal): Promise<HandoffThread | null> {
    const { journal, channels, rights } = this.#parts;
    const intent = journal.get(keyOf(mark));
    // None is opened without being written down before.
    if (intent === null) return null;
    try {
      const thread =
        intent.madeId === null
          ? await this.#search(parent, intent, signal)
          : await channels.fetch(intent.madeId, signal);
      return thread && this.#opened(thread);
    } catch (error) {
      if (intent.madeId !== null && isUnseen(error)) return null;
      throw toPlatformError(error, rights.describe(parent, ["ViewChannel", "ReadMessageHistory"]));
    }
  }

  /** Removes a thread, with the message that it began with. Where the bot may not, the thread is closed. */
  async remove(parentId: string, threadId: string, signal?: AbortSignal): Promise<void> {
    const { client, rights, channels } = this.#parts;
    const options = signal ? { signal } : {};
    try {
      await client.rest.delete(Routes.channel(threadId), options).catch(async (error: unknown) => {
        if (codeOf(error) !== Code.MissingPermissions) throw error;
        await client.rest.patch(Routes.channel(threadId), { body: { archived: true }, ...options });
      });
    } catch (error) {
      if (isUnseen(error)) return;
      throw toPlatformError(error, rights.describe(await channels.get(threadId, signal), ["ManageThreads"]));
    }
    // A thread on a message has that message's id, and would leave it behind. Most have none.
    await this.#removeMessage(parentId, threadId);
  }

  #make(parent: Channel, raw: APIChannel, name: string, options: ThreadOptions): Promise<APIThreadChannel> {
    return isForum(parent) ? this.#makePost(raw, name, options) : this.#makeThread(parent, name, options);
  }

  /** "Start Thread without Message", and where that is refused, one on a message. */
  async #makeThread(parent: Channel, name: string, { mark, signal }: ThreadOptions): Promise<APIThreadChannel> {
    const { client } = this.#parts;
    const isAnnouncement = parent.type === ChannelType.GuildAnnouncement;
    this.#checkRights(parent, ["SendMessagesInThreads"]);
    try {
      return (await client.rest.post(Routes.threads(parent.id), {
        body: {
          name,
          // Without it Discord makes a private thread, which nobody but the bot sees.
          type: isAnnouncement ? ChannelType.AnnouncementThread : ChannelType.PublicThread,
          auto_archive_duration: AUTO_ARCHIVE,
        },
        signal,
      })) as APIThreadChannel;
    } catch (error) {
      if (!TRY_WITH_MESSAGE.includes(codeOf(error))) throw error;
      // With this one missing, there is no other way either.
      if (this.#parts.rights.missing(parent, ["CreatePublicThreads"]).length > 0) throw error;
      return this.#makeOnMessage(parent, name, { mark, signal });
    }
  }

  /** "Start Thread from Message". The message goes when the thread cannot come. */
  async #makeOnMessage(
    parent: Channel,
    name: string,
    { mark, signal }: Pick<ThreadOptions, "mark" | "signal">,
  ): Promise<APIThreadChannel> {
    const { client, outbound, journal } = this.#parts;
    const key = `seed:${mark}`;
    const seed = await outbound.post(parent, { text: openingOf(name) }, key, signal);
    try {
      return (await client.rest.post(Routes.threads(parent.id, seed.id), {
        body: { name, auto_archive_duration: AUTO_ARCHIVE },
        signal,
      })) as APIThreadChannel;
    } catch (error) {
      // Made by an attempt whose answer was lost; it has the message's id.
      if (codeOf(error) === Code.ThreadAlreadyCreatedForMessage) {
        return (await this.#parts.channels.fetchWhole(seed.id, signal)) as APIThreadChannel;
      }
      if (isRefusal(error)) {
        await this.#removeMessage(parent.id, seed.id);
        journal.drop(key);
      }
      throw error;
    }
  }

  /** "Start Thread in Forum or Media Channel": a post comes with its first message. */
  async #makePost(forum: APIChannel, name: string, { home, signal }: ThreadOptions): Promise<APIThreadChannel> {
    const tag = forumTag(forum, home);
    return (await this.#parts.client.rest.post(Routes.threads(forum.id), {
      body: {
        name,
        auto_archive_duration: AUTO_ARCHIVE,
        message: { content: openingOf(name), allowed_mentions: { parse: [] } },
        ...(tag !== null && { applied_tags: [tag] }),
      },
      signal,
    })) as APIThreadChannel;
  }

  /** What was refused is not there; what else went wrong may have happened all the same, and is looked for once. */
  async #afterFailure(
    error: unknown,
    parent: Channel,
    { mark, signal }: Pick<ThreadOptions, "mark" | "signal">,
  ): Promise<HandoffThread> {
    const { journal, rights, channels } = this.#parts;
    const explained = toPlatformError(error, rights.describe(parent, isForum(parent) ? NEEDED_IN_FORUM : NEEDED));
    if (isRefusal(error) || error === explained) {
      journal.drop(keyOf(mark));
      throw explained;
    }
    const found = await this.find(parent, mark).catch(() => null);
    const made = found?.conversation.threadId;
    if (!made) throw explained;
    return this.#handOver(parent, await channels.get(made), signal);
  }

  /** A right that is certainly missing would only show once the thread is there. */
  #checkRights(parent: Channel, needed: readonly Right[]): void {
    const { rights } = this.#parts;
    const missing = rights.missing(parent, needed);
    if (missing.length > 0) throw lackingRights(rights.describe(parent, missing));
  }

  /** The bot's own thread in `parent` with the intent's name that was opened since. */
  async #search(parent: Channel, intent: Intent, signal?: AbortSignal): Promise<Channel | null> {
    const { client, channels, journal, userId } = this.#parts;
    if (parent.guildId === null) return null;
    const options = signal ? { signal } : {};
    const isIt = (thread: APIThreadChannel) =>
      thread.parent_id === parent.id &&
      thread.owner_id === userId &&
      digestOf(thread.name) === intent.digest &&
      (intent.after === null || isAfter(thread.id, intent.after)) &&
      !journal.isAnothers(intent.key, thread.id);
    for (const route of [Routes.guildActiveThreads(parent.guildId), Routes.channelThreads(parent.id, "public")]) {
      const { threads } = (await client.rest.get(route, options)) as RESTGetAPIGuildThreadsResult;
      const found = (threads as APIThreadChannel[]).find(isIt);
      if (!found) continue;
      journal.settle(intent.key, found.id);
      return channels.remember(found);
    }
    return null;
  }

  async #removeMessage(channelId: string, messageId: string): Promise<void> {
    // There may be none, or somebody else's.
    await this.#parts.client.rest.delete(Routes.channelMessage(channelId, messageId)).catch(() => {});
  }

  #opened(thread: Channel): HandoffThread {
    this.#parts.onOpened(thread.id);
    return this.#threadIn(thread);
  }

  #threadIn(thread: Channel): HandoffThread {
    return { conversation: conversationIn(thread), link: linkTo(thread) };
  }
}

function holdsThreads(channel: Channel): boolean {
  return channel.type === ChannelType.GuildText || channel.type === ChannelType.GuildAnnouncement || isForum(channel);
}

/** What stands at the beginning of a post, or above a thread, where Discord wants a message there. */
function openingOf(name: string): string {
  return `**${name.replaceAll(/[\\*_~`|]/g, "\\$&")}**\nThis session goes on here.`;
}

function keyOf(mark: string): string {
  return `thread:${mark}`;
}

/** The journal's name for the threads of a channel. */
function threadsOf({ id }: Channel): string {
  return `${id}/threads`;
}

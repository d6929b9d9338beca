import { type HandoffThread, PlatformError, reasonOf, type Sent, type ThreadOptions, threadName } from "@hermes/core";
import {
  type APIChannel,
  type APIMessage,
  type APIThreadChannel,
  RESTJSONErrorCodes as Code,
  MessageType,
  type RESTGetAPIGuildThreadsResult,
  Routes,
} from "discord.js";
import { isUnseen } from "./channels.ts";
import { codeOf, isRefusal, rejected, toPlatformError, unseen } from "./errors.ts";
import { type MakeThreadParts, makeThread } from "./make-thread.ts";
import type { Right } from "./rights.ts";
import { type Channel, conversationIn, holdsThreads, isAfter, isForum, isThread, linkTo } from "./source.ts";

interface ThreadsParts extends MakeThreadParts {
  readonly userId: string;
  /** Called with a thread that was opened, so that what people write in it is not missed. */
  readonly onOpened: (threadId: string) => void;
}

/** What opening a thread and then writing in it needs. */
const NEEDED: readonly Right[] = ["ViewChannel", "SendMessages", "CreatePublicThreads", "SendMessagesInThreads"];
const NEEDED_IN_FORUM: readonly Right[] = ["ViewChannel", "SendMessages", "SendMessagesInThreads"];

/** How far from a thread's beginning the line that announces it is looked for, in messages. */
const NEAR = 10;

/** Opens threads for sessions that are handed off, and finds and removes them again. */
export class Threads {
  readonly #parts: ThreadsParts;
  /** Why the last attempt in a forum came to nothing. */
  readonly #failures = new Map<string, PlatformError>();

  constructor(parts: ThreadsParts) {
    this.#parts = parts;
  }

  /** Null where there are no threads by nature: in direct messages, in voice channels. */
  async open(parentId: string, title: string, options: ThreadOptions): Promise<HandoffThread | null> {
    const { channels, journal } = this.#parts;
    const raw = await this.#fetch(parentId, options.signal);
    const parent = channels.remember(raw);
    if (isThread(parent)) return this.#threadIn(parent);
    if (!holdsThreads(parent)) return null;

    const found = await this.find(parent, options.mark, options.signal);
    if (found) return found;
    const name = nameOfThread(title);
    const key = keyOf(options.mark);
    if (!journal.get(key)) journal.begin(key, threadsOf(parent), name);
    try {
      const thread = await makeThread(this.#parts, parent, { raw, name }, options);
      journal.made(key, thread.id);
      return await this.#handOver(parent, channels.remember(thread), options.signal);
    } catch (error) {
      return this.#afterFailure(error, parent, options);
    }
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

  /** Removes a thread, with what announces it in its channel. Where the bot may not, the thread is closed. */
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
    await this.#removeAnnouncement(parentId, threadId);
  }

  /** Why nothing can be written in a forum itself. */
  noPostIn(forum: Channel): PlatformError {
    const failure = this.#failures.get(forum.id);
    if (!failure) return rejected(`#${forum.name} is a forum, and holds posts only`, "Write in one of its posts.");
    return rejected(`no post could be opened in #${forum.name}, for ${reasonOf(failure)}`, failure.hint);
  }

  async #fetch(id: string, signal: AbortSignal): Promise<APIChannel> {
    const { channels, rights } = this.#parts;
    try {
      return await channels.fetchWhole(id, signal);
    } catch (error) {
      const known = channels.known(id);
      throw toPlatformError(error, known ? rights.describe(known, ["ViewChannel"]) : unseen(`channel ${id}`));
    }
  }

  /** Whoever gave up waiting knows nothing of the thread, and nobody would ever write in it. */
  async #handOver(parent: Channel, thread: Channel, signal: AbortSignal): Promise<HandoffThread> {
    if (signal.aborted) {
      await this.remove(parent.id, thread.id);
      throw signal.reason;
    }
    this.#failures.delete(parent.id);
    return this.#opened(thread);
  }

  /** What was refused is not there; what else went wrong may have happened all the same, and is looked for once. */
  async #afterFailure(error: unknown, parent: Channel, options: ThreadOptions): Promise<HandoffThread> {
    const { journal, rights, channels } = this.#parts;
    const explained = toPlatformError(error, rights.describe(parent, isForum(parent) ? NEEDED_IN_FORUM : NEEDED));
    if (isForum(parent)) this.#failures.set(parent.id, explained);
    if (isRefusal(error) || error instanceof PlatformError) {
      journal.drop(keyOf(options.mark));
      throw explained;
    }
    const found = await this.find(parent, options.mark).catch(() => null);
    const made = found?.conversation.threadId;
    if (!made) throw explained;
    return this.#handOver(parent, await channels.get(made), options.signal);
  }

  /** The bot's own thread in `parent` with the intent's name that was opened since. */
  async #search(parent: Channel, intent: Sent, signal?: AbortSignal): Promise<Channel | null> {
    const { client, channels, journal, userId } = this.#parts;
    if (parent.guildId === null) return null;
    const isIt = (thread: APIThreadChannel) =>
      thread.parent_id === parent.id &&
      thread.owner_id === userId &&
      (intent.after === null || isAfter(thread.id, intent.after)) &&
      journal.isFor(intent, thread.id, thread.name);
    for (const route of [Routes.guildActiveThreads(parent.guildId), Routes.channelThreads(parent.id, "public")]) {
      const { threads } = (await client.rest.get(route, signal ? { signal } : {})) as RESTGetAPIGuildThreadsResult;
      const found = (threads as APIThreadChannel[]).find(isIt);
      if (!found) continue;
      journal.made(intent.key, found.id);
      return channels.remember(found);
    }
    return null;
  }

  /** The message that a thread began with has its id; one without has a line of Discord's that names it. */
  async #removeAnnouncement(channelId: string, threadId: string): Promise<void> {
    const { client, userId } = this.#parts;
    try {
      const query = new URLSearchParams({ around: threadId, limit: String(NEAR) });
      const messages = (await client.rest.get(Routes.channelMessages(channelId), { query })) as APIMessage[];
      const announcement = messages.find(
        ({ id, type, author, message_reference: reference }) =>
          author.id === userId &&
          (id === threadId || (type === MessageType.ThreadCreated && reference?.channel_id === threadId)),
      );
      if (announcement) await client.rest.delete(Routes.channelMessage(channelId, announcement.id));
    } catch {
      // The thread is gone, which is what counts; a forum has no such line.
    }
  }

  #opened(thread: Channel): HandoffThread {
    this.#parts.onOpened(thread.id);
    return this.#threadIn(thread);
  }

  #threadIn(thread: Channel): HandoffThread {
    return { conversation: conversationIn(thread), link: linkTo(thread) };
  }
}

function keyOf(mark: string): string {
  return `thread:${mark}`;
}

/** The journal's name for the threads of a channel. */
function threadsOf({ id }: Channel): string {
  return `${id}/threads`;
}

/** The longest name of a thread (API reference, "Start Thread without Message"), in UTF-16 units. */
const LONGEST_NAME = 100;

/** Users, roles and channels as they stand in raw text. */
const MENTION = /<(?:@[!&]?|#)\d+>/g;

/** A title as the name of a thread, without what stands for mentions in it. */
export function nameOfThread(title: string): string {
  const plain = title.replaceAll(MENTION, " ").replaceAll(/@(?=everyone\b|here\b)/g, "");
  return threadName(plain, LONGEST_NAME);
}

import { appendMessage, checkedContent, checkMayWrite, type MessageBody } from "./messages.ts";
import { THREAD_CREATED } from "./payloads.ts";
import { invalidField, refusal } from "./refusal.ts";
import { hasRight } from "./rights.ts";
import { BOT, type ChannelRecord, channel, isForum, isThread, KIND, type MessageRecord, type World } from "./world.ts";

export interface ThreadBody {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly auto_archive_duration?: unknown;
  readonly applied_tags?: unknown;
  readonly message?: MessageBody;
}

/** Minutes after which a quiet thread may be archived (API reference, "Start Thread without Message"). */
const AUTO_ARCHIVE_MINUTES = [60, 1440, 4320, 10080];

/** "Start Thread without Message", and "Start Thread in Forum or Media Channel" where the channel is one. */
export function startThread(world: World, parent: ChannelRecord, body: ThreadBody): ChannelRecord {
  if (isForum(parent)) return startPost(world, parent, body);
  checkMayStart(world, parent);
  const name = checkedName(body);
  // API v10: private, unless the body says otherwise.
  const type = body.type === undefined ? KIND.privateThread : Number(body.type);
  const wanted = parent.type === KIND.announcement ? KIND.announcementThread : KIND.publicThread;
  if (type !== wanted && type !== KIND.privateThread) {
    throw invalidField("type", "BASE_TYPE_CHOICES", "Value must be one of the types of thread of this channel.");
  }
  if (type === KIND.privateThread && parent.type === KIND.announcement) throw refusal(50024);
  const thread = open(world, parent, { id: world.nextId(), type, name });
  if (type !== KIND.privateThread) {
    appendMessage(world, parent, { ...asBot(), content: name, type: THREAD_CREATED, threadId: thread.id });
  }
  return thread;
}

/** "Start Thread from Message": the thread has the message's id. */
export function startThreadFrom(
  world: World,
  parent: ChannelRecord,
  messageId: string,
  body: ThreadBody,
): ChannelRecord {
  if (isForum(parent)) throw refusal(50024);
  checkMayStart(world, parent);
  const message = parent.messages.find(({ id }) => id === messageId);
  if (!message) throw refusal(10008);
  if (message.threadId !== null) throw refusal(160004);
  const type = parent.type === KIND.announcement ? KIND.announcementThread : KIND.publicThread;
  const thread = open(world, parent, { id: messageId, type, name: checkedName(body) });
  message.threadId = thread.id;
  return thread;
}

/** Deletes a thread. The message it was started from stays. */
export function deleteThread(world: World, thread: ChannelRecord): void {
  if (!isThread(thread) || !hasRight(world, thread, "ManageThreads")) throw refusal(50013);
  world.channels.delete(thread.id);
}

export function setArchivedAt(world: World, thread: ChannelRecord, archived: boolean): void {
  thread.archived = archived;
  thread.archivedAt = world.clock.now();
}

/** "Modify Channel" of a thread, as far as archiving goes: whoever opened it may. */
export function archiveThread(world: World, thread: ChannelRecord, archived: boolean): void {
  if (!isThread(thread)) throw refusal(50024);
  if (thread.ownerId !== BOT.id && !hasRight(world, thread, "ManageThreads")) throw refusal(50013);
  setArchivedAt(world, thread, archived);
}

function startPost(world: World, forum: ChannelRecord, body: ThreadBody): ChannelRecord {
  if (!hasRight(world, forum, "SendMessages")) throw refusal(50013);
  const name = checkedName(body);
  if (body.message === undefined) {
    throw invalidField("message", "BASE_TYPE_REQUIRED", "This field is required");
  }
  const content = checkedContent(body.message.content, false);
  const tags = Array.isArray(body.applied_tags) ? body.applied_tags.map(String) : [];
  if (tags.some((tag) => !forum.tags.some(({ id }) => id === tag))) {
    throw invalidField("applied_tags", "BASE_TYPE_CHOICES", "Value must be one of the tags of this channel.");
  }
  if (forum.requiresTag && tags.length === 0) throw refusal(40067);
  if (world.threadLimit === "threads") throw refusal(160006);
  const post = open(world, forum, { id: world.nextId(), type: KIND.publicThread, name, appliedTags: tags });
  // The first message of a post has the post's id.
  appendMessage(world, post, { ...asBot(), id: post.id, content });
  return post;
}

function checkMayStart(world: World, parent: ChannelRecord): void {
  if (parent.guildId === null) throw refusal(50003);
  if (parent.type !== KIND.text && parent.type !== KIND.announcement) throw refusal(50024);
  checkMayWrite(world, parent);
  if (!hasRight(world, parent, "CreatePublicThreads")) throw refusal(50013);
  if (world.threadLimit === "threads" && parent.type === KIND.text) throw refusal(160006);
  if (world.threadLimit === "announcement-threads" && parent.type === KIND.announcement) throw refusal(160007);
}

function checkedName({ name, auto_archive_duration: minutes }: ThreadBody): string {
  if (typeof name !== "string") throw invalidField("name", "BASE_TYPE_REQUIRED", "This field is required");
  const kept = name.trim();
  if (kept.length < 1 || kept.length > 100) {
    throw invalidField("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.");
  }
  if (minutes !== undefined && !AUTO_ARCHIVE_MINUTES.includes(Number(minutes))) {
    throw invalidField("auto_archive_duration", "BASE_TYPE_CHOICES", "Value must be one of {60, 1440, 4320, 10080}.");
  }
  return kept;
}

function open(
  world: World,
  parent: ChannelRecord,
  fields: Pick<ChannelRecord, "id" | "type" | "name"> & Partial<ChannelRecord>,
): ChannelRecord {
  const thread = channel({ parentId: parent.id, ownerId: BOT.id, ...fields });
  world.channels.set(thread.id, thread);
  return thread;
}

function asBot(): Pick<MessageRecord, "authorId" | "authorName" | "isBot"> {
  return { authorId: BOT.id, authorName: BOT.name, isBot: true };
}

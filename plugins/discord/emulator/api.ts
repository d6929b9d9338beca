import type { RequestBody, UploadedFile } from "@hermes/emulator";
import { INTENT } from "./gateway.ts";
import type { Interactions } from "./interactions.ts";
import { LOOKUPS } from "./lookups.ts";
import { createBotMessage, editBotMessage, listMessages, type MessageBody, visibleChannel } from "./messages.ts";
import { channelPayload, messagePayload } from "./payloads.ts";
import { invalidField, refusal } from "./refusal.ts";
import { hasRight } from "./rights.ts";
import { archiveThread, deleteThread, startThread, startThreadFrom, type ThreadBody } from "./threads.ts";
import {
  BOT,
  BOT_ROLE_ID,
  type ChannelRecord,
  GUILD,
  isThread,
  KIND,
  type MessageRecord,
  threadsIn,
  type World,
} from "./world.ts";

/** A call of the API, once it is known which one. */
interface ApiCall {
  /** Values of the route's parameters, in order. */
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly body: RequestBody;
}

export interface ApiAnswer {
  readonly status: number;
  readonly value?: unknown;
}

/** What the API does to the server behind it. */
export interface ApiContext {
  readonly world: World;
  readonly interactions: Interactions;
  readonly baseUrl: () => string;
  readonly gatewayUrl: () => string;
  tell(event: string, payload: unknown, intent: number): void;
}

export interface ApiRoute {
  readonly method: string;
  /** `:id` stands for any part of a path. */
  readonly path: string;
  /** The name that failures have for it. */
  readonly operation?: "send" | "edit" | "createThread" | "deleteThread" | "typing" | "home";
  /** Callbacks of interactions carry their secret in the path, and no token. */
  readonly isOpen?: boolean;
  run(context: ApiContext, call: ApiCall): ApiAnswer;
}

const ok = (value: unknown): ApiAnswer => ({ status: 200, value });
const created = (value: unknown): ApiAnswer => ({ status: 201, value });
const NOTHING: ApiAnswer = { status: 204 };

/** The part of the API that the emulator has, by the names of its reference. */
export const ROUTES: readonly ApiRoute[] = [
  {
    method: "GET",
    path: "/gateway/bot",
    run: ({ gatewayUrl }) =>
      ok({
        url: gatewayUrl(),
        shards: 1,
        session_start_limit: { total: 1000, remaining: 999, reset_after: 86_400_000, max_concurrency: 1 },
      }),
  },
  ...LOOKUPS,
  { method: "POST", path: "/users/@me/channels", run: openPrivateChat },
  {
    method: "GET",
    path: "/channels/:id",
    operation: "home",
    run: ({ world }, { ids: [id = ""] }) => ok(channelPayload(world, visibleChannel(world, id))),
  },
  { method: "PATCH", path: "/channels/:id", run: modifyThread },
  { method: "DELETE", path: "/channels/:id", operation: "deleteThread", run: removeThread },
  {
    method: "GET",
    path: "/channels/:id/messages",
    run: ({ world, baseUrl }, { ids: [id = ""], query }) => {
      const channel = visibleChannel(world, id);
      return ok(listMessages(world, channel, query).map((message) => messagePayload(channel, message, baseUrl())));
    },
  },
  { method: "POST", path: "/channels/:id/messages", operation: "send", run: createMessage },
  { method: "GET", path: "/channels/:id/messages/:id", run: showMessage },
  { method: "PATCH", path: "/channels/:id/messages/:id", operation: "edit", run: editMessage },
  { method: "DELETE", path: "/channels/:id/messages/:id", run: deleteMessage },
  {
    method: "POST",
    path: "/channels/:id/typing",
    operation: "typing",
    run: ({ world }, { ids: [id = ""] }) => {
      const channel = visibleChannel(world, id);
      if (!hasRight(world, channel, isThread(channel) ? "SendMessagesInThreads" : "SendMessages")) {
        throw refusal(50013);
      }
      return NOTHING;
    },
  },
  {
    method: "POST",
    path: "/channels/:id/threads",
    operation: "createThread",
    run: (context, { ids: [id = ""], body }) => {
      const { world } = context;
      const thread = startThread(world, visibleChannel(world, id), Object(body.value) as ThreadBody);
      return created(tellThread(context, thread));
    },
  },
  {
    method: "POST",
    path: "/channels/:id/messages/:id/threads",
    operation: "createThread",
    run: (context, { ids: [id = "", messageId = ""], body }) => {
      const { world } = context;
      const parent = visibleChannel(world, id);
      return created(tellThread(context, startThreadFrom(world, parent, messageId, Object(body.value) as ThreadBody)));
    },
  },
  {
    method: "GET",
    path: "/guilds/:id/threads/active",
    run: ({ world }, { ids: [id] }) => {
      if (id !== GUILD.id) throw refusal(10004);
      const active = [...world.channels.values()].filter((one) => isThread(one) && !one.archived);
      const visible = active.filter((one) => hasRight(world, one, "ViewChannel"));
      return ok({ threads: visible.map((one) => channelPayload(world, one)), members: [] });
    },
  },
  {
    method: "GET",
    path: "/channels/:id/threads/archived/public",
    run: (context, call) => listArchived(context, call, (type) => type !== KIND.privateThread),
  },
  {
    method: "GET",
    path: "/channels/:id/users/@me/threads/archived/private",
    run: (context, call) => listArchived(context, call, (type) => type === KIND.privateThread),
  },
  {
    method: "PUT",
    path: "/applications/:id/commands",
    run: ({ interactions }, { body }) => ok(interactions.register(body.value)),
  },
  {
    method: "POST",
    path: "/interactions/:id/:id/callback",
    isOpen: true,
    run: ({ interactions }, { ids: [id = "", token = ""], body }) => {
      interactions.answer(id, token, body.value);
      return NOTHING;
    },
  },
  {
    method: "DELETE",
    path: "/webhooks/:id/:id/messages/@original",
    isOpen: true,
    run: ({ interactions }, { ids: [, token = ""] }) => {
      interactions.removeAnswer(token);
      return NOTHING;
    },
  },
  {
    method: "PATCH",
    path: "/webhooks/:id/:id/messages/@original",
    isOpen: true,
    run: ({ interactions }, { ids: [, token = ""], body }) => ok(interactions.editAnswer(token, body.value)),
  },
];

/** The one that was archived last first. */
function listArchived(
  { world }: ApiContext,
  { ids: [id = ""] }: ApiCall,
  isOfKind: (type: number) => boolean,
): ApiAnswer {
  const channel = visibleChannel(world, id);
  if (!hasRight(world, channel, "ReadMessageHistory")) throw refusal(50013);
  const archived = threadsIn(world, channel.id).filter((one) => one.archived && isOfKind(one.type));
  const threads = archived.toSorted((a, b) => b.archivedAt - a.archivedAt).map((one) => channelPayload(world, one));
  return ok({ threads, members: [], has_more: false });
}

function createMessage(context: ApiContext, { ids: [id = ""], body }: ApiCall): ApiAnswer {
  const { world, baseUrl } = context;
  const channel = visibleChannel(world, id);
  const { value, files } = withFiles(body);
  const { message, isNew } = createBotMessage(world, channel, value, files);
  if (isNew) tellMessage(context, "MESSAGE_CREATE", channel, message);
  return ok({ ...messagePayload(channel, message, baseUrl()), nonce: message.nonce ?? undefined });
}

/** "Get Channel Message": unlike the list of messages, it refuses whoever may not read the history. */
function showMessage({ world, baseUrl }: ApiContext, { ids: [id = "", messageId] }: ApiCall): ApiAnswer {
  const channel = visibleChannel(world, id);
  if (!hasRight(world, channel, "ReadMessageHistory")) throw refusal(50013);
  const message = channel.messages.find((one) => one.id === messageId);
  if (!message) throw refusal(10008);
  return ok(messagePayload(channel, message, baseUrl()));
}

function editMessage(context: ApiContext, { ids: [id = "", messageId = ""], body }: ApiCall): ApiAnswer {
  const { world, baseUrl } = context;
  const channel = visibleChannel(world, id);
  const message = editBotMessage(world, channel, messageId, withFiles(body).value);
  tellMessage(context, "MESSAGE_UPDATE", channel, message);
  return ok(messagePayload(channel, message, baseUrl()));
}

function deleteMessage({ world }: ApiContext, { ids: [id = "", messageId] }: ApiCall): ApiAnswer {
  const { messages } = visibleChannel(world, id);
  const index = messages.findIndex((one) => one.id === messageId);
  const message = messages[index];
  if (!message) throw refusal(10008);
  if (message.authorId !== BOT.id) throw refusal(50013);
  messages.splice(index, 1);
  return NOTHING;
}

function modifyThread({ world }: ApiContext, { ids: [id = ""], body }: ApiCall): ApiAnswer {
  const thread = visibleChannel(world, id);
  archiveThread(world, thread, Boolean(Object(body.value).archived));
  return ok(channelPayload(world, thread));
}

function removeThread(context: ApiContext, { ids: [id = ""] }: ApiCall): ApiAnswer {
  const { world } = context;
  const thread = visibleChannel(world, id);
  deleteThread(world, thread);
  tellThreadGone(context, thread);
  return ok(channelPayload(world, thread));
}

function openPrivateChat({ world }: ApiContext, { body }: ApiCall): ApiAnswer {
  const recipient = String(Object(body.value).recipient_id);
  const chat = [...world.channels.values()].find((one) => one.recipientId === recipient);
  if (!chat) throw world.people.has(recipient) ? refusal(50007) : refusal(50033);
  return ok(channelPayload(world, chat));
}

/** A body that came with files has its JSON in a field of the form. */
function withFiles({ value, files }: RequestBody): {
  readonly value: MessageBody;
  readonly files: readonly UploadedFile[];
} {
  const { payload_json: json } = Object(value) as { payload_json?: unknown };
  if (json === undefined) return { value: Object(value), files };
  try {
    return { value: Object(JSON.parse(String(json))), files };
  } catch {
    throw invalidField("payload_json", "BASE_TYPE_BAD_JSON", "Could not be parsed as JSON.");
  }
}

export function tellMessage(
  { world, baseUrl, tell }: ApiContext,
  event: "MESSAGE_CREATE" | "MESSAGE_UPDATE",
  channel: ChannelRecord,
  message: MessageRecord,
): void {
  const { guildId } = channel;
  const roles = message.authorId === BOT.id ? [BOT_ROLE_ID] : [];
  const place = guildId === null ? {} : { guild_id: guildId, member: { roles, joined_at: null } };
  const payload = { ...messagePayload(channel, message, baseUrl()), channel_type: channel.type, ...place };
  // As Discord does for bots without the intent: only what is for them.
  const isForBot = guildId === null || message.mentionsBot || message.authorId === BOT.id;
  const isBlank = !world.isMessageContentAllowed && !isForBot;
  tell(
    event,
    isBlank ? { ...payload, content: "", attachments: [] } : payload,
    guildId === null ? INTENT.directMessages : INTENT.guildMessages,
  );
}

function tellThread({ world, tell }: ApiContext, thread: ChannelRecord): unknown {
  const payload = channelPayload(world, thread);
  tell("THREAD_CREATE", { ...payload, newly_created: true }, INTENT.guilds);
  return payload;
}

export function tellThreadGone({ tell }: ApiContext, { id, guildId, parentId, type }: ChannelRecord): void {
  tell("THREAD_DELETE", { id, guild_id: guildId, parent_id: parentId, type }, INTENT.guilds);
}

import { type Nodes, parseMarkdown } from "@hermes/core/markdown";
import type { UploadedFile } from "@hermes/emulator";
import { keptFiles } from "./attachments.ts";
import { checkedRows } from "./components.ts";
import { invalidField, refusal } from "./refusal.ts";
import { hasRight } from "./rights.ts";
import { BOT, type ChannelRecord, isAfter, isForum, isThread, KIND, type MessageRecord, type World } from "./world.ts";

/** The longest content of a message (API reference, "Create Message"); counted in the larger of the possible units. */
const CONTENT_LIMIT = 2000;

/** The longest nonce. */
const NONCE_LIMIT = 25;

const SUPPRESS_EMBEDS = 1 << 2;

export interface MessageBody {
  readonly content?: unknown;
  readonly nonce?: unknown;
  readonly allowed_mentions?: unknown;
  readonly enforce_nonce?: unknown;
  readonly flags?: unknown;
  readonly components?: unknown;
  readonly attachments?: unknown;
}

/** The channel, where the bot may see it. */
export function visibleChannel(world: World, id: string): ChannelRecord {
  const channel = world.channels.get(id);
  if (!channel) throw refusal(10003);
  if (!hasRight(world, channel, "ViewChannel")) throw refusal(50001);
  return channel;
}

/** What the bot writes. `isNew` is false when a message with its nonce is there already. */
export function createBotMessage(
  world: World,
  channel: ChannelRecord,
  body: MessageBody,
  files: readonly UploadedFile[],
): { readonly message: MessageRecord; readonly isNew: boolean } {
  checkMayWrite(world, channel);
  if (files.length > 0 && !hasRight(world, channel, "AttachFiles")) throw refusal(50013);
  const attachments = keptFiles(world, channel, files, body.attachments);
  const content = checkedContent(body.content, files.length > 0);
  const nonce = checkedNonce(body.nonce);
  const known = nonce !== null && body.enforce_nonce === true ? world.nonces.get(nonce) : undefined;
  if (known) return { message: known, isNew: false };

  channel.archived = false;
  const message = appendMessage(world, channel, {
    authorId: BOT.id,
    authorName: BOT.name,
    isBot: true,
    content,
    nonce,
    allowedMentions: body.allowed_mentions,
    components: checkedRows(body.components ?? []),
    flags: Number(body.flags ?? 0) & SUPPRESS_EMBEDS,
    attachments,
  });
  if (nonce !== null) world.nonces.set(nonce, message);
  return { message, isNew: true };
}

export function editBotMessage(world: World, channel: ChannelRecord, id: string, body: MessageBody): MessageRecord {
  const message = channel.messages.find((one) => one.id === id);
  if (!message) throw refusal(10008);
  if (message.authorId !== BOT.id) throw refusal(50005);
  if (channel.archived) throw refusal(50083);
  message.content = checkedContent(body.content, message.attachments.length > 0);
  // What an edit does not name stays as it is.
  if (body.components !== undefined) message.components = checkedRows(body.components ?? []);
  message.editedAt = world.clock.now();
  return message;
}

/** The newest first, as the API has them. */
export function listMessages(world: World, channel: ChannelRecord, query: URLSearchParams): MessageRecord[] {
  if (!hasRight(world, channel, "ReadMessageHistory")) return [];
  const limit = Number(query.get("limit") ?? 50);
  if (!(limit >= 1 && limit <= 100)) {
    throw invalidField("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100.");
  }
  const after = query.get("after");
  const before = query.get("before");
  const around = query.get("around");
  if (around !== null) {
    const older = channel.messages.filter(({ id }) => !isAfter(id, around)).slice(-Math.ceil(limit / 2));
    const newer = channel.messages.filter(({ id }) => isAfter(id, around)).slice(0, Math.floor(limit / 2));
    return [...older, ...newer].reverse();
  }
  const fitting = channel.messages.filter(
    ({ id }) => (after === null || isAfter(id, after)) && (before === null || isAfter(before, id)),
  );
  // `after` gives those that follow most closely, `before` and no bound the latest.
  return (after === null ? fitting.slice(-limit) : fitting.slice(0, limit)).reverse();
}

export function appendMessage(
  world: World,
  channel: ChannelRecord,
  fields: Pick<MessageRecord, "authorId" | "authorName" | "isBot" | "content"> & Partial<MessageRecord>,
): MessageRecord {
  const message: MessageRecord = {
    id: world.nextId(),
    type: 0,
    sentAt: world.clock.now(),
    nonce: null,
    webhookId: null,
    replyTo: null,
    mentionsBot: false,
    attachments: [],
    components: [],
    flags: 0,
    editedAt: null,
    threadId: null,
    ...fields,
  };
  channel.messages.push(message);
  return message;
}

export function checkMayWrite(world: World, channel: ChannelRecord): void {
  if (isForum(channel)) throw refusal(40058);
  if (channel.type === KIND.voice && !hasRight(world, channel, "SendMessages")) throw refusal(50008);
  if (!hasRight(world, channel, isThread(channel) ? "SendMessagesInThreads" : "SendMessages")) throw refusal(50013);
  if (channel.locked) throw refusal(160005);
}

export function checkedContent(content: unknown, hasFiles: boolean): string {
  const text = content === undefined || content === null ? "" : content;
  if (typeof text !== "string") throw invalidField("content", "STRING_TYPE_CONVERT", "Could not interpret as string.");
  if (text.length > CONTENT_LIMIT) {
    throw invalidField("content", "BASE_TYPE_MAX_LENGTH", `Must be ${CONTENT_LIMIT} or fewer in length.`);
  }
  // Discord takes the space at both ends off.
  const kept = text.trim();
  if (kept === "" && !hasFiles) throw refusal(50006);
  return kept;
}

function checkedNonce(nonce: unknown): string | null {
  if (nonce === undefined || nonce === null) return null;
  if (String(nonce).length > NONCE_LIMIT) {
    throw invalidField("nonce", "BASE_TYPE_MAX_LENGTH", `Must be ${NONCE_LIMIT} or fewer in length.`);
  }
  return String(nonce);
}

/** Each kind of mention, with the word that allows it ("Allowed Mentions Object"). */
const MENTIONS = [
  { kind: "everyone", pattern: /@(?:everyone|here)\b/g },
  { kind: "users", pattern: /<@!?\d+>/g },
  { kind: "roles", pattern: /<@&\d+>/g },
] as const;

/** Whom a message notifies: all that it mentions, unless the call that sent it allows less. */
export function notifiedBy(content: string, allowed: unknown): string[] {
  const { parse } = Object(allowed) as { parse?: unknown };
  return MENTIONS.filter(({ kind }) => !Array.isArray(parse) || parse.includes(kind)).flatMap(
    ({ pattern }) => content.match(pattern) ?? [],
  );
}

/** A message as people read it: Discord's markup, which is a kind of Markdown, is resolved. */
export function plainText(content: string): string {
  return shown(parseMarkdown(content));
}

/** Addresses behind a text, in angle brackets, and bare ones that apps make links of, which they do not within code. */
export function linksIn(content: string): string[] {
  const prose = content.replaceAll(/(`+)(?:(?!\1)[\s\S])*\1/g, "");
  const links = prose.matchAll(/\]\(<?([^)>\s]+)|<([a-z][a-z0-9+.-]*:[^>\s]+)>|\b((?:https?|discord):\/\/[^\s)>]+)/gi);
  return [...links].map(([, behind, bracketed, bare]) => behind ?? bracketed ?? bare ?? "");
}

function shown(node: Nodes): string {
  if ("value" in node) return node.value;
  if (node.type === "break") return "\n";
  if (node.type === "image") return node.alt ?? "";
  if (!("children" in node)) return "";
  const isInline = ["paragraph", "heading", "strong", "emphasis", "delete", "link", "tableCell"].includes(node.type);
  const parts = (node.children as Nodes[]).map(shown);
  return parts.join(isInline ? "" : "\n");
}

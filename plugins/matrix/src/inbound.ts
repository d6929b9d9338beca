import type { CommandInfo, InboundMessage } from "@hermes/core";
import { attachmentsOf, captionOf, type Download, isFile } from "./attachments.ts";
import { toCommandText } from "./commands.ts";
import type { Guests } from "./guests.ts";
import { htmlToMarkdown } from "./inbound-html.ts";
import type { Rooms } from "./rooms.ts";
import { conversationIn } from "./source.ts";
import { type Content, isRedacted, type MatrixEvent, objectOf, relationOf, stringOf, threadOf } from "./wire.ts";

/** What Hermes takes for a text: everything else in `m.room.message` is for apps among themselves. */
const SAID = new Set(["m.text", "m.notice", "m.emote"]);

export interface DecodeContext {
  readonly me: { readonly userId: string; readonly name: string | undefined };
  readonly account: string | undefined;
  readonly commands: readonly CommandInfo[];
  readonly rooms: Rooms;
  readonly guests: Guests;
  readonly download: Download;
  /** An event that another one is about; null where there is none. */
  readonly lookUp: (roomId: string, eventId: string) => Promise<MatrixEvent | null>;
  readonly nameOf: (userId: string) => Promise<string | undefined>;
}

/** An event that can be read: as it came, and with what it says, decrypted where it was encrypted. */
export interface ReadableEvent {
  readonly event: MatrixEvent;
  readonly type: string;
  readonly content: Content;
}

/** What another wrote; null for what is no message. */
export async function decode(
  roomId: string,
  { event, type, content }: ReadableEvent,
  context: DecodeContext,
): Promise<InboundMessage | null> {
  const { rooms, account } = context;
  if (type !== "m.room.message") return null;
  const edited = await editedBy(roomId, event, content, context);
  if (edited === null) return null;
  const said = edited.content;
  if (!SAID.has(String(said.msgtype)) && !isFile(said)) return null;

  const forwarded = forwardIn(said);
  const isForward = forwarded !== null;
  // The id, by the word of who passes it on: names are anybody's.
  const writer = stringOf(forwarded?.sender);
  const words = textOf(said, edited.replyTo !== undefined, { ...context, commands: isForward ? [] : context.commands });
  const text = isForward ? "" : words;
  // A stranger's files are not worth the wait of those who come behind.
  const isHeard = isFile(said) && (await context.guests.mayTalk(event.sender, roomId));
  const attachments = await attachmentsOf(said, isHeard ? context.download : null);
  if (words === "" && attachments.length === 0) return null;
  const isAddressed =
    (!isForward && isMentioned(said, context)) || text.startsWith("/") || (await isReplyToBot(roomId, edited, context));
  const chatName = rooms.get(roomId)?.name;
  const name = await context.nameOf(event.sender);
  return {
    conversation: conversationIn(
      { id: rooms.canonical(roomId), kind: await rooms.kindOf(roomId) },
      edited.threadId,
      account,
    ),
    messageId: edited.id,
    sender: {
      id: event.sender,
      ...(name === undefined ? {} : { name }),
      // "m.notice": what is sent by programs, and must not be answered by them.
      ...(said.msgtype === "m.notice" ? { isBot: true } : {}),
    },
    text,
    sentAt: event.origin_server_ts,
    ...(edited.isEdit ? { isEdit: true } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(isForward ? { quotes: [{ kind: "forward", text: words, ...(writer === undefined ? {} : { writer }) }] } : {}),
    ...(isAddressed ? { isAddressed: true } : {}),
    ...(chatName === undefined ? {} : { chatName }),
    // Every thread hangs on a message of the room.
    ...(edited.threadId === undefined ? {} : { isBranch: true }),
  };
}

/**
 * What an app says of a message that was passed on; null where it was not. Few say it, and they do so under this name or
 * a preliminary one (MSC 2723).
 */
function forwardIn(content: Content): Content | null {
  const key = Object.keys(content).find((name) => /(?:^m|\bmsc2723)\.forward(?:ed)?$/.test(name));
  return key === undefined ? null : objectOf(content[key]);
}

interface Edited {
  readonly id: string;
  readonly content: Content;
  readonly threadId: string | undefined;
  /** The event that a person answered; not the one under which clients without threads show a message. */
  readonly replyTo: string | undefined;
  readonly isEdit: boolean;
}

/**
 * The message that an event is, or that it changes ("Event replacements"): an edit does not say in which thread its
 * message is. Null for an edit of somebody else's message, which counts for nothing.
 */
async function editedBy(
  roomId: string,
  event: MatrixEvent,
  content: Content,
  { lookUp }: DecodeContext,
): Promise<Edited | null> {
  const relation = relationOf(event.content);
  if (relation.kind !== "m.replace" || relation.eventId === undefined) {
    const { isFallingBack, replyTo } = relation;
    return {
      id: event.event_id,
      content,
      threadId: threadOf(event.content),
      replyTo: isFallingBack ? undefined : replyTo,
      isEdit: false,
    };
  }
  const original = await lookUp(roomId, relation.eventId);
  if (original === null || original.sender !== event.sender || isRedacted(original)) return null;
  return {
    id: original.event_id,
    content: objectOf(content["m.new_content"]),
    threadId: threadOf(original.content),
    replyTo: undefined,
    isEdit: true,
  };
}

function textOf(content: Content, isReply: boolean, { me, commands }: DecodeContext): string {
  if (isFile(content)) return captionOf(content).trim();
  const html = content.format === "org.matrix.custom.html" ? stringOf(content.formatted_body) : undefined;
  const body = withoutName(withoutQuote(stringOf(content.body) ?? "", isReply), me, isExplicit(content, me.userId));
  const command = toCommandText(body, commands);
  if (command !== null) return command;
  const text = (html && fromHtml(html, me)) ?? body.trim();
  return content.msgtype === "m.emote" && text !== "" ? `_${text}_` : text;
}

/** Null where it cannot be read: the plain text says the same. */
function fromHtml(html: string, me: DecodeContext["me"]): string | null {
  try {
    return htmlToMarkdown(html, me);
  } catch {
    return null;
  }
}

/** Older apps quote in the body what a message answers ("Fallbacks for rich replies"). */
function withoutQuote(body: string, isReply: boolean): string {
  if (!isReply || !body.startsWith("> ")) return body;
  const lines = body.split("\n");
  const end = lines.findIndex((line) => !line.startsWith(">"));
  return end < 0 ? "" : lines.slice(lines[end] === "" ? end + 1 : end).join("\n");
}

/** The bot's name at the beginning only says whom a message is for. */
function withoutName(body: string, { userId, name }: DecodeContext["me"], isMention: boolean): string {
  const start = body.trimStart();
  for (const called of [userId, name]) {
    if (called === undefined || !start.startsWith(called)) continue;
    const rest = start.slice(called.length);
    const end = isMention || called === userId ? /^[:,]?(?:\s+|$)/ : /^[:,](?:\s+|$)/;
    if (end.test(rest)) return rest.replace(end, "");
  }
  return body;
}

/** "User and room mentions": who is meant stands in `m.mentions`; apps that do not know it only write the name. */
function isMentioned(content: Content, { me }: DecodeContext): boolean {
  if (content["m.mentions"] !== undefined) return isExplicit(content, me.userId);
  const body = stringOf(content.body) ?? "";
  const html = stringOf(content.formatted_body) ?? "";
  if (body.includes(me.userId) || html.includes(`https://matrix.to/#/${me.userId}`)) return true;
  const name = wordsIn(me.name ?? "");
  return name !== "" && wordsIn(body).includes(name);
}

function isExplicit(content: Content, userId: string): boolean {
  const { user_ids: ids } = objectOf(content["m.mentions"]);
  return Array.isArray(ids) && ids.includes(userId);
}

/** The words of a text, each between spaces of its own. */
function wordsIn(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  return words.map((word) => ` ${word} `).join("");
}

async function isReplyToBot(roomId: string, { replyTo }: Edited, { lookUp, me }: DecodeContext): Promise<boolean> {
  if (replyTo === undefined) return false;
  return (await lookUp(roomId, replyTo))?.sender === me.userId;
}

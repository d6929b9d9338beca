import { randomUUID } from "node:crypto";
import type { EmulatedInbound } from "@hermes/emulator";
import { type Homeserver, SERVER_NAME } from "./homeserver.ts";
import type { RoomRecord } from "./room.ts";
import type { Content } from "./wire.ts";

/** What only Matrix has of a message that a person writes. */
export interface MatrixInbound extends EmulatedInbound {
  /** The text as HTML, beside the plain one. */
  readonly html?: string;
  /** The content gets these fields besides. */
  readonly content?: Content;
}

export interface Bot {
  readonly userId: string;
  readonly name: string;
}

/** What a person's client would send ("m.room.message"). `upload` stores a file, and returns where it is. */
export function contentOf(
  room: RoomRecord,
  inbound: MatrixInbound,
  bot: Bot,
  upload: (content: Buffer, mediaType: string) => Content,
): Content {
  const { editOf, isBot, mentions } = inbound;
  const body = mentions ? `${bot.name}: ${inbound.text}`.trim() : inbound.text;
  const pill = `<a href="https://matrix.to/#/${bot.userId}">${bot.name}</a>`;
  const html = inbound.html ?? (mentions ? `${pill}: ${escapeHtml(inbound.text)}` : undefined);
  const written = {
    msgtype: isBot ? "m.notice" : "m.text",
    body,
    ...(html === undefined ? {} : { format: "org.matrix.custom.html", formatted_body: html }),
    "m.mentions": mentions ? { user_ids: [bot.userId] } : {},
    ...fileOf(inbound, upload),
    ...(inbound.forwarded ? { "m.forwarded": { sender: inbound.forwarded.from } } : {}),
    ...inbound.content,
  };
  if (editOf !== undefined) {
    const fallback = { ...written, body: `* ${body}` };
    return { ...fallback, "m.new_content": written, "m.relates_to": { rel_type: "m.replace", event_id: editOf } };
  }
  const relation = relationTo(room, inbound);
  return relation === null ? written : { ...written, "m.relates_to": relation };
}

/** In a thread: the thread, and for clients without threads a reply to what was said there last ("Threading"). */
function relationTo(room: RoomRecord, { threadId, replyTo }: MatrixInbound): Content | null {
  if (threadId === undefined) return replyTo === undefined ? null : { "m.in_reply_to": { event_id: replyTo } };
  if (room.entry(threadId) === undefined) throw new Error(`there is no thread ${threadId} in ${room.id}`);
  const last = room.relations(threadId, "m.thread").at(-1)?.event.event_id ?? threadId;
  return {
    rel_type: "m.thread",
    event_id: threadId,
    is_falling_back: replyTo === undefined,
    "m.in_reply_to": { event_id: replyTo ?? last },
  };
}

/** A message has one file, and its text is the caption. */
function fileOf({ files = [], text }: MatrixInbound, upload: (content: Buffer, mediaType: string) => Content): Content {
  const [file] = files;
  if (file === undefined) return {};
  const content = Buffer.from(file.content);
  return {
    msgtype: file.mediaType.startsWith("image/") ? "m.image" : "m.file",
    body: text === "" ? file.name : text,
    filename: file.name,
    info: { mimetype: file.mediaType, size: content.length },
    ...upload(content, file.mediaType),
  };
}

export function storeFile(server: Homeserver, content: Buffer, mediaType: string): string {
  const id = randomUUID();
  server.media.set(id, { content, mediaType });
  return `mxc://${SERVER_NAME}/${id}`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

import type { EmulatedMessage, EmulatedThread } from "@hermes/emulator";
import { stringIn } from "./homeserver.ts";
import { hrefsIn, readHtml } from "./read-html.ts";
import type { Entry, RoomRecord } from "./room.ts";
import type { ShownFiles } from "./shown-files.ts";
import { type Content, isObject, replacedBy, threadOf } from "./wire.ts";

/** What an encrypted event says, where somebody could read it. */
type ReadEncrypted = (eventId: string) => Content | undefined;

export interface ShownParts {
  readonly room: RoomRecord;
  readonly botId: string;
  readonly read: ReadEncrypted;
  readonly files: ShownFiles;
}

/** What people see in a room, or in a thread of it: edits in their place, and nothing that was removed. */
export function shownMessages(
  { room, botId, read, files }: ShownParts,
  threadId: string | undefined,
): EmulatedMessage[] {
  return room.entries
    .filter((entry) => isShown(room, entry) && threadOf(entry.event.content) === threadId)
    .map((entry) => {
      const { event } = entry;
      const edit = room.relations(event.event_id, "m.replace").at(-1);
      const shown = newContent(edit, read) ?? clear(entry, read);
      const isFile = /^m\.(?:file|image|audio|video)$/.test(String(shown.msgtype));
      const fileName = isFile ? stringIn(shown, "filename") : undefined;
      const file = isFile && event.sender === botId ? files.of(shown) : null;
      return {
        id: event.event_id,
        author: event.sender === botId ? "bot" : event.sender,
        text: readableText(shown),
        raw: event,
        isEdited: edit !== undefined,
        fileNames: fileName === undefined ? [] : [fileName],
        notifies: notifiedBy(shown),
        links: linksIn(shown),
        ...(file ? { files: [file] } : {}),
      };
    });
}

/** What the bot has begun as a thread, and what somebody has answered in one. */
export function shownThreads({ room, read }: ShownParts): EmulatedThread[] {
  return room.entries
    .filter((entry) => isShown(room, entry) && isRoot(room, entry))
    .map((entry) => ({ id: entry.event.event_id, name: readableText(clear(entry, read)), isVisible: true }));
}

function isShown(room: RoomRecord, entry: Entry): boolean {
  const { event, isHidden } = entry;
  if (isHidden || room.isRedacted(entry) || replacedBy(event.content) !== undefined) return false;
  return event.type === "m.room.message" || event.type === "m.room.encrypted";
}

function isRoot(room: RoomRecord, { event, txnId }: Entry): boolean {
  return txnId?.startsWith("hermes-thread-") === true || room.relations(event.event_id, "m.thread").length > 0;
}

function clear({ event }: Entry, read: ReadEncrypted): Content {
  if (event.type !== "m.room.encrypted") return event.content;
  return read(event.event_id) ?? { body: "(Unable to decrypt)" };
}

function newContent(edit: Entry | undefined, read: ReadEncrypted): Content | undefined {
  const content = edit && clear(edit, read)["m.new_content"];
  return isObject(content) ? content : undefined;
}

function linksIn(content: Content): string[] {
  return hrefsIn(stringIn(content, "formatted_body") ?? "");
}

function readableText(content: Content): string {
  const html = stringIn(content, "formatted_body");
  return html === undefined ? (stringIn(content, "body") ?? "") : readHtml(html);
}

/**
 * Whom a message notifies ("User and room mentions"). One that does not say so is searched for names by older push
 * rules: everything that looks like one counts.
 */
function notifiedBy(content: Content): string[] {
  const mentions = content["m.mentions"];
  if (mentions === undefined) return String(content.body).match(/@room\b|@[\w.-]+:[\w.-]+/g) ?? [];
  const { room, user_ids: people } = Object(mentions) as { room?: unknown; user_ids?: unknown };
  return [...(room === true ? ["@room"] : []), ...(Array.isArray(people) ? people.map(String) : [])];
}

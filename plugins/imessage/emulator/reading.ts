import { SELF } from "./database.ts";
import type { Fields } from "./fields.ts";
import { notFound, serverError } from "./refusal.ts";
import type { Chat, Row } from "./rows.ts";
import { chatJson, messageJson } from "./serialize.ts";
import type { World } from "./world.ts";

/** What is asked for along with something: in a query separated by commas, in a body as a list; in any case. */
function wants(asked: string | null | readonly unknown[]): (...names: readonly string[]) => boolean {
  const given = typeof asked === "string" ? asked.split(",") : (asked ?? []).map(String);
  const known = new Set(given.map((name) => name.trim().toLowerCase().replaceAll("-", "")));
  return (...names) => names.some((name) => known.has(name.toLowerCase()));
}

/** `GET server/info`. */
export function serverInfo({ mac, database }: World): unknown {
  const { osVersion, serverVersion, privateApi, helperConnected } = mac.state;
  // The account that was written to last.
  const isKnown = database.chats.some(({ service }) => service === "iMessage");
  return {
    data: {
      ...{ computer_id: "hermes@Emulated-Mac", os_version: osVersion, server_version: serverVersion },
      ...{ private_api: privateApi, helper_connected: privateApi && helperConnected, proxy_service: "lan-url" },
      ...{ detected_icloud: SELF.address, detected_imessage: isKnown ? SELF.address : null },
      ...{ macos_time_sync: 0.01, local_ipv4s: ["127.0.0.1"], local_ipv6s: ["::1"] },
    },
  };
}

/** `POST chat/query`. Chats that nobody is in are not found. */
export function queryChats({ database }: World, fields: Fields): unknown {
  const want = wants(fields.list("with"));
  const withLast = want("lastmessage");
  fields.oneOf("sort", ["lastmessage"]);
  const offset = fields.number("offset") ?? 0;
  const limit = fields.number("limit", 1, 1_000) ?? 1_000;
  const guid = fields.text("guid");
  const all = database.chats.filter((chat) => chat.participants.length > 0 && (guid ?? chat.guid) === chat.guid);
  const last = (chat: Chat) => database.rows.findLast((row) => row.chat === chat);
  const chats = all.slice(offset, offset + limit);
  if (withLast) chats.sort((one, other) => (last(other)?.dateCreated ?? 0) - (last(one)?.dateCreated ?? 0));
  const data = chats.map((chat) => {
    const lastRow = last(chat);
    const lastMessage = lastRow === undefined ? null : messageJson(lastRow);
    return { ...chatJson(chat, { participants: true }), ...(withLast ? { lastMessage } : {}) };
  });
  return { data, metadata: { count: data.length, total: all.length, offset, limit } };
}

/** `GET chat/:guid`. */
export function findChat(world: World, guid: string, query: URLSearchParams): unknown {
  const chat = chatOf(world, guid);
  const want = wants(query.get("with"));
  const last = world.database.rows.findLast((row) => row.chat === chat);
  const isAsked = want("participants");
  const more = isAsked ? {} : { participants: [] };
  const lastMessage = want("lastmessage") && last !== undefined ? { lastMessage: messageJson(last) } : {};
  return { data: { ...chatJson(chat, { participants: isAsked }), ...more, ...lastMessage } };
}

export function chatOf({ database }: World, guid: string): Chat {
  const chat = database.chat(guid);
  if (chat === undefined) throw notFound("Chat does not exist!");
  return chat;
}

/** `GET chat/:guid/message`. */
export function messagesOfChat(world: World, guid: string, query: URLSearchParams, fields: Fields): unknown {
  const chat = chatOf(world, guid);
  const want = wants(query.get("with"));
  const attributedBody = want("message.attributedBody");
  const { rows, metadata } = page(
    world.database.rows.filter((row) => row.chat === chat),
    fields,
  );
  const attachments = want("attachment", "attachments");
  return { data: rows.map((row) => messageJson(row, { attachments, attributedBody, chats: true })), metadata };
}

/** `POST message/query`. */
export function queryMessages(world: World, fields: Fields): unknown {
  const guid = fields.text("chatGuid");
  const want = wants(fields.list("with"));
  const { database } = world;
  if (guid !== undefined && guid !== "" && database.chat(guid) === undefined) {
    return { message: `No chat found with GUID: ${guid}`, data: [] };
  }
  const conditions = fields.list("where").map(conditionIn);
  const found = database.rows
    .filter((row) => !guid || row.chat.guid === guid)
    .filter((row) => conditions.every((isMet) => isMet(row)));
  const { rows, metadata } = page(found, fields);
  const participants = want("chat.participants", "chats.participants");
  const told = {
    ...{ chats: want("chat", "chats") || participants, participants },
    ...{ attachments: want("attachment", "attachments"), attributedBody: want("attributedBody") },
  };
  return { data: rows.map((row) => messageJson(row, told)), message: "Successfully fetched messages!", metadata };
}

/** `GET message/:guid`. */
export function findMessage({ database }: World, guid: string, query: URLSearchParams): unknown {
  const row = database.message(guid);
  if (row === undefined) throw notFound("Message does not exist!");
  const want = wants(query.get("with"));
  const participants = want("chats.participants", "chat.participants", "participants");
  const told = {
    ...{ chats: want("chats", "chat"), participants },
    ...{ attachments: want("attachment", "attachments"), attributedBody: want("attributedBody") },
  };
  return { data: messageJson(row, told) };
}

/** `after` and `before` look at nothing but when a message was written. */
function page(found: readonly Row[], fields: Fields) {
  const sort = fields.oneOf("sort", ["ASC", "DESC"]) ?? "DESC";
  const [after, before] = [fields.number("after"), fields.number("before", 1)];
  const offset = fields.number("offset") ?? 0;
  const limit = fields.number("limit", 1, 1_000) ?? 100;
  const within = found
    .filter(({ dateCreated }) => dateCreated >= (after ?? 0) && dateCreated <= (before ?? Number.POSITIVE_INFINITY))
    .toSorted((one, other) => one.dateCreated - other.dateCreated);
  const sorted = sort === "ASC" ? within : within.toReversed();
  const rows = sorted.slice(offset, offset + limit);
  return { rows, metadata: { offset, limit, total: within.length, count: rows.length } };
}

/** The conditions in SQL that this emulator understands; the server takes any. */
const COLUMNS: Readonly<Record<string, (row: Row) => string | number>> = {
  rowid: ({ rowId }) => rowId,
  guid: ({ guid }) => guid,
  text: ({ text }) => text ?? "",
  is_from_me: ({ isFromMe }) => Number(isFromMe),
  isfromme: ({ isFromMe }) => Number(isFromMe),
  error: ({ error }) => error,
};

function conditionIn(where: unknown): (row: Row) => boolean {
  const { statement = "", args = {} } = Object(where) as { statement?: string; args?: Record<string, unknown> };
  const [, column = "", operator = "", name = ""] =
    /^message\.(\w+)\s*(=|>=|<=|>|<|LIKE)\s*:(\w+)/i.exec(statement) ?? [];
  const read = COLUMNS[column.toLowerCase()];
  const wanted = args?.[name];
  if (read === undefined || wanted === undefined) throw serverError(`SQLITE_ERROR: near "${statement}"`);
  const number = Number(wanted);
  switch (operator.toUpperCase()) {
    case "=":
      return (row) => String(read(row)) === (typeof wanted === "boolean" ? String(number) : String(wanted));
    case ">":
      return (row) => Number(read(row)) > number;
    case ">=":
      return (row) => Number(read(row)) >= number;
    case "<":
      return (row) => Number(read(row)) < number;
    case "<=":
      return (row) => Number(read(row)) <= number;
    default: {
      const part = String(wanted).replace(/^%|%$/g, "").toLowerCase();
      return (row) => String(read(row)).toLowerCase().includes(part);
    }
  }
}

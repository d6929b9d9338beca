import { type Conversation, chatOf } from "../../adapter/conversation.ts";
import type { OutboundMessage } from "../../adapter/message.ts";
import { isReadByOthers } from "../../adapter/read-by-others.ts";
import { buildSessionKey, type SessionKey } from "../../adapter/session-key.ts";
import type { InboxRow } from "../../model/inbox.ts";
import type { ChatLane } from "../work-stores.ts";
import type { Context } from "./connection.ts";
import { moveLane, moveLaneWithMessages } from "./move-lane.ts";
import { partLane } from "./part-lane.ts";
import { movePlace } from "./places.ts";

/**
 * Moves all lanes of a chat or of a thread, and everything else stored by its id, to its new id. For use inside a
 * transaction.
 */
export function moveChat(context: Context, from: ChatLane, to: ChatLane, told: OutboundMessage): void {
  if (from.key === to.key) return;
  const isParted = isReadByOthers(from.conversation, to.conversation);
  const isThread = from.conversation.threadId !== undefined;
  const { chatId, kind, scope, threadId, isPrivate } = to.conversation;
  const nowAt = (former: string): Conversation => ({
    ...{ ...(JSON.parse(former) as Conversation), chatId, kind, scope },
    ...(isThread ? { threadId, isPrivate } : {}),
  });
  const keyNow = (key: SessionKey) => (to.key + key.slice(from.key.length)) as SessionKey;
  for (const place of isParted ? [] : placesOf(context, from.key)) {
    movePlace(context, place.key, { key: keyNow(place.key), conversation: nowAt(place.conversation) });
  }
  const chat = buildSessionKey(chatOf(to.conversation));
  for (const lane of lanesOf(context, from.key)) {
    const at = { key: keyNow(lane.key), conversation: nowAt(lane.conversation) };
    if (isParted) partLane(context, lane.key, at, told);
    else if (isThread) moveLaneWithMessages(context, lane.key, at);
    else moveLane(context, lane.key, at);
    // Messages of a thread keep their ids, so that one which comes again is known; those of a chat may begin anew.
    if (isThread) context.db.run("UPDATE OR IGNORE inbox SET chat = ? WHERE key = ?", chat, lane.key);
    moveInbox(context, lane.key, at, isParted ? ["queued"] : ["queued", "running"]);
    context.db.run("UPDATE OR REPLACE let_go SET key = ? WHERE key = ?", at.key, lane.key);
  }
  moveHome(context, from.conversation, to.conversation);
  if (isParted) return;
  movePeople(context, from.conversation, to.conversation);
  moveOrigins(context, from, to, chat);
  moveSurfaces(context, from, to);
  if (!isThread) context.db.run("UPDATE sessions SET origin_chat = ? WHERE origin_chat = ?", to.key, from.key);
}

/** Sessions that began there are those of the chat that it is, or is in, now. */
function moveOrigins({ db }: Context, from: ChatLane, to: ChatLane, chat: SessionKey): void {
  db.run(
    `UPDATE sessions SET origin = $to || substr(origin, $length + 1), origin_chat = iif(origin_chat = $former, $chat, origin_chat)
     WHERE origin = $from OR substr(origin, 1, $length + 3) IN ($from || ':t=', $from || ':u=')`,
    {
      ...{ from: from.key, to: to.key, length: from.key.length },
      ...{ former: buildSessionKey(chatOf(from.conversation)), chat },
    },
  );
}

/** Sessions that were used there last, be they bound there or not, were used where it is now. */
function moveSurfaces({ db }: Context, from: ChatLane, to: ChatLane): void {
  for (const column of ["last_surface", "left_surface"]) {
    db.run(
      `UPDATE sessions SET ${column} = $to || substr(${column}, $length + 1)
       WHERE ${column} = $from OR substr(${column}, 1, $length + 3) IN ($from || ':t=', $from || ':u=')`,
      { from: from.key, to: to.key, length: from.key.length },
    );
  }
}

/** A home channel that was set with /sethome. */
function moveHome({ db }: Context, from: Conversation, { chatId, threadId }: Conversation): void {
  const { platform, account = "" } = from;
  const former = { platform, account, former: from.chatId };
  const isOfChat = "platform = $platform AND account = $account AND json_extract(home, '$.chatId') = $former";
  if (from.threadId === undefined) {
    db.run(`UPDATE homes SET home = json_set(home, '$.chatId', $chatId) WHERE ${isOfChat}`, { ...former, chatId });
    return;
  }
  db.run(
    `UPDATE homes SET home = json_patch(home, json_object('chatId', $chatId, 'threadId', $threadId))
     WHERE ${isOfChat} AND json_extract(home, '$.threadId') = $formerThread`,
    { ...former, chatId, threadId: threadId ?? null, formerThread: from.threadId },
  );
}

/** Moves those who wrote there, and who decided there, along: their rights are looked up by where they are. */
function movePeople(
  { db }: Context,
  { platform, account = "", chatId: former, threadId: formerThread }: Conversation,
  { chatId, kind, threadId }: Conversation,
): void {
  const isThread = formerThread !== undefined;
  const now = `json_object('chatId', $chatId, 'kind', $kind${isThread ? ", 'threadId', $threadId" : ""})`;
  for (const [table, column, path] of [
    ["turns", "author", "$"],
    ["approvals", "decided_by", "$.author"],
  ] as const) {
    const at = `${path}.conversation`;
    db.run(
      `UPDATE ${table} SET ${column} = json_set(${column}, '${at}', json_patch(${column} -> '${at}', ${now}))
       WHERE ${column} ->> '${path}.platform' = $platform AND coalesce(${column} ->> '${path}.account', '') = $account
         AND ${column} ->> '${at}.chatId' = $former${isThread ? ` AND ${column} ->> '${at}.threadId' = $formerThread` : ""}`,
      { chatId, kind, platform, account, former, ...(isThread ? { threadId: threadId ?? null, formerThread } : {}) },
    );
  }
}

/** The lanes of the chat itself, its threads and its people, but not those of another account in a chat with that id. */
function lanesOf({ db }: Context, chat: SessionKey): { readonly key: SessionKey; readonly conversation: string }[] {
  const inChat = "(key = $chat OR substr(key, 1, $length) IN ($threads, $people))";
  return db.all(
    `SELECT key, conversation FROM bindings WHERE ${inChat}
     UNION SELECT key, conversation FROM outbox WHERE ${inChat} AND state IN ('queued', 'sending', 'uncertain', 'failed')
     UNION SELECT key, message ->> '$.conversation' FROM inbox WHERE ${inChat} AND done_at IS NULL
     UNION SELECT key, conversation FROM outbox
       WHERE ${inChat} AND approval_id IN (
         SELECT id FROM approvals WHERE state = 'open' UNION SELECT id FROM asks WHERE state = 'open'
       )
     UNION SELECT key, NULL FROM let_go WHERE ${inChat}`,
    { chat, length: chat.length + 3, threads: `${chat}:t=`, people: `${chat}:u=` },
  );
}

/** The places that are known in the chat, and those in it that a handoff goes to. */
function placesOf({ db }: Context, chat: SessionKey): { readonly key: SessionKey; readonly conversation: string }[] {
  const inChat = (key: string) => `(${key} = $chat OR substr(${key}, 1, $length) = $threads)`;
  return db.all(
    `SELECT key, conversation FROM places WHERE ${inChat("key")}
     UNION SELECT target ->> '$.key', target ->> '$.conversation' FROM handoffs
       WHERE state IN ('pending', 'running') AND ${inChat("target ->> '$.key'")}`,
    { chat, length: chat.length + 3, threads: `${chat}:t=` },
  );
}

/**
 * Moves the messages of a lane that are in one of the states: also one whose turn has begun, so that whoever comes after
 * this process goes on with it where its session is now.
 */
function moveInbox(
  { db }: Context,
  from: SessionKey,
  { key, conversation }: { readonly key: SessionKey; readonly conversation: Conversation },
  states: readonly InboxRow["state"][],
): void {
  db.run(
    `UPDATE inbox SET key = $key, message = json_set(message, '$.conversation', json($conversation))
     WHERE key = $from AND state IN (SELECT value FROM json_each($states))`,
    { key, from, conversation: JSON.stringify(conversation), states: JSON.stringify(states) },
  );
}

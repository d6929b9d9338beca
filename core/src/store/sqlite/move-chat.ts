import type { Conversation } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { ChatLane } from "../work-stores.ts";
import type { Context } from "./connection.ts";
import { moveLane } from "./move-lane.ts";
import { movePlace } from "./places.ts";

/** Moves all lanes of a chat, and everything else stored by its id, to its new id. For use inside a transaction. */
export function moveChat(context: Context, from: ChatLane, to: ChatLane): void {
  if (from.key === to.key) return;
  const { chatId, kind, scope } = to.conversation;
  for (const place of placesOf(context, from.key)) {
    const key = (to.key + place.key.slice(from.key.length)) as SessionKey;
    movePlace(context, place.key, {
      key,
      conversation: { ...(JSON.parse(place.conversation) as Conversation), chatId, kind, scope },
    });
  }
  for (const lane of lanesOf(context, from.key)) {
    const key = (to.key + lane.key.slice(from.key.length)) as SessionKey;
    const conversation: Conversation = { ...(JSON.parse(lane.conversation) as Conversation), chatId, kind, scope };
    moveLane(context, lane.key, { key, conversation });
    moveInbox(context, lane.key, { key, chat: to.key, conversation });
    context.db.run("UPDATE OR REPLACE let_go SET key = ? WHERE key = ?", key, lane.key);
  }
  movePeople(context, from.conversation, to.conversation);
  const { db } = context;
  db.run("UPDATE sessions SET origin_chat = ? WHERE origin_chat = ?", to.key, from.key);
  const { platform, account = "" } = from.conversation;
  db.run(
    `UPDATE homes SET home = json_set(home, '$.chatId', $chatId)
     WHERE platform = $platform AND account = $account AND json_extract(home, '$.chatId') = $former`,
    { chatId, platform, account, former: from.conversation.chatId },
  );
}

/** Moves those who wrote there, and who decided there, along: their rights are looked up by where they are. */
function movePeople(
  { db }: Context,
  { platform, account = "", chatId: former }: Conversation,
  { chatId, kind }: Conversation,
): void {
  for (const [table, column, path] of [
    ["turns", "author", "$"],
    ["approvals", "decided_by", "$.author"],
  ] as const) {
    db.run(
      `UPDATE ${table} SET ${column} = json_set(${column}, '${path}.conversation.chatId', $chatId, '${path}.conversation.kind', $kind)
       WHERE ${column} ->> '${path}.platform' = $platform AND coalesce(${column} ->> '${path}.account', '') = $account
         AND ${column} ->> '${path}.conversation.chatId' = $former`,
      { chatId, kind, platform, account, former },
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

/** Moves queued messages. One whose turn has begun stays; its answer follows the binding. */
function moveInbox(
  { db }: Context,
  from: SessionKey,
  {
    key,
    chat,
    conversation,
  }: { readonly key: SessionKey; readonly chat: SessionKey; readonly conversation: Conversation },
): void {
  db.run(
    `UPDATE OR IGNORE inbox
     SET key = $key, chat = $chat, message = json_set(message, '$.conversation', json($conversation))
     WHERE key = $from AND state = 'queued'`,
    { key, chat, from, conversation: JSON.stringify(conversation) },
  );
}

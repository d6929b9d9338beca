import type { HomeChannel } from "../../adapter/conversation.ts";
import type { BindingStore } from "../work-stores.ts";
import { bindingRow, bindingsOf, putBinding, toBinding } from "./binding-rows.ts";
import type { Context } from "./connection.ts";
import { dropUnsent } from "./drop-unsent.ts";
import { settleExpired } from "./expired-approvals.ts";
import { moveChat } from "./move-chat.ts";
import { enqueue } from "./outbox-rows.ts";
import { showQuestionsOf } from "./questions.ts";
import { sessionRow, unknownSession } from "./session-rows.ts";

export function sqliteBindings(context: Context): BindingStore {
  const { db, clock } = context;
  return {
    get: (key) =>
      db.read(() => {
        const row = bindingRow(context, key);
        return row ? toBinding(row) : null;
      }),

    of: (sessionId) => db.read(() => bindingsOf(context, sessionId)),

    bind: (binding) =>
      db.write(() => {
        if (!sessionRow(context, binding.sessionId)) throw unknownSession(binding.sessionId);
        const row = putBinding(context, binding);
        settleExpired(context);
        showQuestionsOf(context, binding.sessionId, binding);
        return toBinding(row);
      }),

    unbind: (key) =>
      db.write(() => {
        db.run("DELETE FROM bindings WHERE key = ?", key);
      }),

    part: (key, sessionId, outbox) =>
      db.write(() => {
        const isGone = db.run("DELETE FROM bindings WHERE key = ? AND session_id = ?", key, sessionId) > 0;
        if (!isGone) return false;
        dropUnsent(context, key, sessionId);
        enqueue(context, outbox, {});
        return true;
      }),

    missedSession: (key, { sentAt, receivedAt }) =>
      db.write(() => {
        const row = db.get<{ let_go_at: number; told_at: number | null }>(
          "SELECT let_go_at, told_at FROM let_go WHERE key = ?",
          key,
        );
        if (!row || sentAt >= row.let_go_at || receivedAt > (row.told_at ?? receivedAt)) return false;
        if (row.told_at === null) db.run("UPDATE let_go SET told_at = ? WHERE key = ?", clock.now(), key);
        return true;
      }),

    home: (platform, account) =>
      db.read(() => {
        const row = db.get<{ home: string }>(
          "SELECT home FROM homes WHERE platform = ? AND account = ?",
          platform,
          account ?? "",
        );
        return row ? (JSON.parse(row.home) as HomeChannel) : null;
      }),

    setHome: (platform, account, home) =>
      db.write(() => {
        db.run(
          "INSERT OR REPLACE INTO homes (platform, account, home) VALUES (?, ?, ?)",
          platform,
          account ?? "",
          JSON.stringify(home),
        );
      }),

    moveChat: (from, to, told) => db.write(() => moveChat(context, from, to, told)),
  };
}

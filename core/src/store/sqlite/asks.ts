import type { Session } from "../../model/session.ts";
import { type AskStore, OFFERED_FOR_MS } from "../ask-store.ts";
import { askRow, askRows, toAsk } from "./ask-rows.ts";
import type { Context } from "./connection.ts";
import { endAsk, openAsk, settleLateAsks, whenAsksSettled } from "./open-ask.ts";
import { type SessionRow, toSession, visibleTo } from "./session-rows.ts";
import { takeAlong } from "./take-along.ts";
import { isResumable, openTurn } from "./turn-rows.ts";

export function sqliteAsks(context: Context): AskStore {
  const { db } = context;
  return {
    open: (ask) => db.write(() => toAsk(openAsk(context, ask))),

    get: (id) =>
      whenAsksSettled(context, () => {
        const row = askRow(context, id);
        return row ? toAsk(row) : null;
      }),

    shownAt: (surface) =>
      whenAsksSettled(context, () =>
        askRows(
          context,
          `state = 'open' AND (surface = +? OR id IN (
             SELECT approval_id FROM outbox WHERE key = +? AND approval_part = 'asks' AND approval_id IS NOT NULL
           ))`,
          surface,
          surface,
        ).map(toAsk),
      ),

    decide: (id, state) =>
      db.write(() => {
        settleLateAsks(context);
        const row = askRow(context, id);
        if (row === undefined) return { state: "unknown" };
        if (row.state !== "open") return { state: "over", ask: toAsk(row) };
        return { state: "decided", ask: toAsk(endAsk(context, row, state)) };
      }),

    offerable: (query) => db.read(() => offerable(context, query)),

    takeAlong: (id) => db.write(() => takeAlong(context, id)),
  };
}

function offerable(
  context: Context,
  { person, visible, surface }: Parameters<AskStore["offerable"]>[0],
): Session | null {
  const { db, clock } = context;
  const seen = visibleTo(visible);
  const rows = db.all<SessionRow>(
    `SELECT * FROM sessions WHERE ${seen.sql} AND user = +? AND last_surface <> +? AND message_count > 0 AND updated_at >= +?
       AND NOT EXISTS (SELECT 1 FROM handoffs WHERE session_id = sessions.id AND state IN ('pending', 'running'))
       AND NOT EXISTS (
         SELECT 1 FROM asks WHERE session_id = sessions.id AND asks.person = sessions.user
           AND (asks.state = 'declined' AND asks.decided_at >= sessions.updated_at
             OR asks.surface = +? AND asks.created_at >= sessions.updated_at)
       )
     ORDER BY updated_at DESC, id DESC LIMIT 20`,
    ...seen.values,
    person,
    surface,
    clock.now() - OFFERED_FOR_MS,
    surface,
  );
  const free = rows.find(({ id }) => {
    const turn = openTurn(context, id);
    return !(turn && isResumable(turn));
  });
  return free ? toSession(free) : null;
}

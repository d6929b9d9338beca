import { type Conversation, chatOf } from "../../adapter/conversation.ts";
import { buildSessionKey, type SessionKey } from "../../adapter/session-key.ts";
import { HermesError } from "../../base/errors.ts";
import type { SessionId, Surface, UserId, Visibility } from "../../model/session.ts";
import { cleanTitle, TITLE_LIMIT } from "../../model/title.ts";
import type { Connection } from "./connection.ts";
import { visibleTo } from "./session-rows.ts";
import { foldCase } from "./text.ts";

type Rows = Pick<Connection, "all" | "get" | "run">;

/** A session as far as its title depends on it. */
export interface TitledSession {
  readonly id: SessionId;
  readonly user: UserId;
  readonly origin: Surface;
  /** Where it is gone on with, if nothing is bound to it yet. */
  readonly surface?: Surface | undefined;
}

/** Makes `wanted` a title that is not taken: see {@link isTitleTaken}. Throws TITLE_INVALID. */
export function freeTitle(rows: Rows, wanted: string, session: TitledSession): string {
  const base = cleanTitle(wanted);
  if (base === null) throw new HermesError("TITLE_INVALID", { max: TITLE_LIMIT });
  return untakenTitle(base, (folded) => isTitleTaken(rows, folded, session));
}

/**
 * Whether a title is that of another session which all who read it see, so that a number in it tells nobody of any other:
 * one of the same person or, where the session is read in shared chats, one that is seen in each of them. Somebody else who
 * has a pass for the session sees none.
 */
export function isTitleTaken(rows: Rows, folded: string, session: TitledSession): boolean {
  const others = "FROM sessions WHERE title_folded = ? AND id <> ?";
  // Mostly nobody at all has it.
  if (rows.get(`SELECT 1 ${others}`, folded, session.id) === undefined) return false;
  if (isReadByPass(rows, session)) return false;
  const seen = seenByReaders(rows, session).map(visibleTo);
  return (
    rows.get(
      `SELECT 1 ${others} AND ${seen.map(({ sql }) => sql).join(" AND ")}`,
      ...[folded, session.id, ...seen.flatMap(({ values }) => values)],
    ) !== undefined
  );
}

function isReadByPass(rows: Rows, { id, user }: TitledSession): boolean {
  const pass = "SELECT 1 FROM codes WHERE session_id = ? AND kind = 'pass' AND state = 'taken' AND person IS NOT ?";
  return rows.get(pass, id, user) !== undefined;
}

function seenByReaders(rows: Rows, { id, user, origin, surface = origin }: TitledSession): Visibility[] {
  const shared = rows.all<{ key: SessionKey; conversation: string }>(
    `SELECT key, conversation FROM bindings
     WHERE (session_id = ? OR key IN (?, ?)) AND conversation ->> '$.kind' <> 'dm'`,
    ...[id, origin, surface],
  );
  if (shared.length === 0) return [{ kind: "begun-by", user }];
  return shared.map(({ key, conversation }) => {
    return { kind: "of-chat", chat: buildSessionKey(chatOf(JSON.parse(conversation) as Conversation)), here: key };
  });
}

/** Writes a title that is free. */
export function writeTitle(rows: Rows, id: SessionId, title: string): void {
  rows.run("UPDATE sessions SET title = ?, title_folded = ? WHERE id = ?", title, foldCase(title), id);
}

/** Adds a number to a title that is taken, replacing its last characters if it would be too long. */
export function untakenTitle(base: string, isTaken: (folded: string) => boolean): string {
  for (let number = 1; ; number++) {
    const title = number === 1 ? base : numbered(base, number);
    if (!isTaken(foldCase(title))) return title;
  }
}

function numbered(base: string, number: number): string {
  const suffix = ` ${number}`;
  const room = [...base].slice(0, TITLE_LIMIT - suffix.length);
  return room.join("").trimEnd() + suffix;
}

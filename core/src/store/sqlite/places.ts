import type { Conversation } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { ConfigPlace, KnownPlace, NotedPlace, PlacePerson } from "../../model/known-place.ts";
import type { PlaceStore } from "../place-store.ts";
import type { Context } from "./connection.ts";
import { readable } from "./text.ts";

/** Milliseconds within which a use of a place that is otherwise the same is not noted again. */
const NOTED_AGAIN_MS = 60 * 60 * 1000;

interface PlaceRow {
  readonly key: SessionKey;
  readonly conversation: string;
  readonly called: string | null;
  readonly name: string | null;
  readonly is_home: number;
  readonly shared: number;
  readonly person: string | null;
  readonly heard_at: number;
}

export function sqlitePlaces(context: Context): PlaceStore {
  const { db, clock } = context;
  const rowOf = (key: SessionKey) => db.get<PlaceRow>("SELECT * FROM places WHERE key = ?", key);
  const isNews = (place: NotedPlace): boolean => {
    const row = rowOf(place.key);
    if (!row || clock.now() - row.heard_at >= NOTED_AGAIN_MS) return true;
    const noted = merged(place, row);
    return (
      noted.conversation !== row.conversation ||
      noted.name !== row.name ||
      noted.is_home !== row.is_home ||
      noted.shared !== row.shared ||
      noted.person !== row.person
    );
  };

  return {
    note: async (place) => {
      // Mostly all is known: then this takes no write lock.
      if (!(await db.read(() => isNews(place)))) return;
      await db.write(() => put(context, place.key, merged(place, rowOf(place.key)), place.conversation));
    },

    configured: async ({ platform, account = "" }, places) => {
      const known = await db.read(() =>
        db.all<PlaceRow>(
          "SELECT * FROM places WHERE platform = ? AND account = ? AND called IS NOT NULL ORDER BY key",
          platform,
          account,
        ),
      );
      if (isSame(known, places)) return;
      await db.write(() => {
        db.run("UPDATE places SET called = NULL WHERE platform = ? AND account = ?", platform, account);
        for (const { key, conversation, called, shared, person } of places) {
          const row = rowOf(key);
          put(
            context,
            key,
            {
              ...{ conversation: JSON.stringify(conversation), name: row?.name ?? null, is_home: row?.is_home ?? 0 },
              ...{ called: readable(called), shared: shared ? 1 : 0 },
              person: row?.person ?? (person ? JSON.stringify(person) : null),
              heard_at: row?.heard_at ?? clock.now(),
            },
            conversation,
          );
        }
      });
    },

    get: (key) =>
      db.read(() => {
        const row = rowOf(key);
        return row ? toPlace(row) : null;
      }),

    list: () => db.read(() => db.all<PlaceRow>("SELECT * FROM places ORDER BY heard_at DESC, key").map(toPlace)),
  };

  /** A row with what was noted now. */
  function merged(
    { conversation, name, word, person, shared }: NotedPlace,
    row: PlaceRow | undefined,
  ): Omit<PlaceRow, "key"> {
    return {
      conversation: JSON.stringify(conversation),
      called: row?.called ?? null,
      name: name === null ? (row?.name ?? null) : readable(name),
      is_home: word === "home" ? 1 : (row?.is_home ?? 0),
      shared: shared === undefined ? (row?.shared ?? 0) : Number(shared),
      person: person === null ? (row?.person ?? null) : JSON.stringify(person),
      heard_at: clock.now(),
    };
  }
}

function put({ db }: Context, key: SessionKey, row: Omit<PlaceRow, "key">, { platform, account }: Conversation): void {
  db.run(
    `INSERT OR REPLACE INTO places (key, platform, account, conversation, called, name, is_home, shared, person, heard_at)
     VALUES ($key, $platform, $account, $conversation, $called, $name, $is_home, $shared, $person, $heard_at)`,
    { ...row, key, platform, account: account ?? "" },
  );
}

function isSame(known: readonly PlaceRow[], places: readonly ConfigPlace[]): boolean {
  if (known.length !== places.length) return false;
  return places.every(({ key, conversation, called, shared, person }) =>
    known.some(
      (row) =>
        row.key === key &&
        row.called === readable(called) &&
        row.shared === (shared ? 1 : 0) &&
        (row.person !== null || !person) &&
        row.conversation === JSON.stringify(conversation),
    ),
  );
}

function toPlace(row: PlaceRow): KnownPlace {
  const conversation = JSON.parse(row.conversation) as Conversation;
  return {
    key: row.key,
    conversation,
    called: row.called,
    name: row.name,
    word: row.called !== null ? "config" : row.is_home === 1 ? "home" : "heard",
    heardAt: row.heard_at,
    shared: row.shared === 1 || (row.called === null && conversation.kind !== "dm"),
    person: row.person === null ? null : (JSON.parse(row.person) as PlacePerson),
  };
}

/** Moves the places of a chat that got another id, those of its threads too. For use inside a transaction. */
export function movePlace(
  { db }: Context,
  from: SessionKey,
  to: { readonly key: SessionKey; readonly conversation: Conversation },
): void {
  db.run(
    "UPDATE OR REPLACE places SET key = ?, conversation = ?, person = json_set(person, '$.author.conversation', json(?)) WHERE key = ?",
    to.key,
    JSON.stringify(to.conversation),
    JSON.stringify(to.conversation),
    from,
  );
  db.run(
    `UPDATE handoffs SET target = json_set(target, '$.key', ?, '$.conversation', json(?))
     WHERE state IN ('pending', 'running') AND target ->> '$.key' = ?`,
    to.key,
    JSON.stringify(to.conversation),
    from,
  );
}

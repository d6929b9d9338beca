import type { SessionKey } from "../../adapter/session-key.ts";
import type { HomeName, HomePerson, SeenHome } from "../../model/home-person.ts";
import type { HomePeople } from "../people-stores.ts";
import type { Context } from "./connection.ts";
import { IdentityRows } from "./identity-rows.ts";

interface HomePersonRow {
  readonly platform: string;
  readonly account: string;
  readonly home: string;
  readonly chat: SessionKey;
  readonly name: string | null;
  readonly is_private: number;
  readonly person: string | null;
  readonly since: number;
  readonly word: HomePerson["word"];
  readonly present: string;
  readonly told: string | null;
}

export function sqliteHomePeople(context: Context): HomePeople {
  const { db } = context;
  return {
    get: (home) => db.read(() => toHomePerson(rowOf(context, home))),

    async see(home) {
      const known = await db.read(() => toHomePerson(rowOf(context, home)));
      if (known?.isPrivate === home.isPrivate && isSame(known.present, home.present)) return known;
      return db.write(() => see(context, home));
    },

    set: (home, person, word) => db.write(() => set(context, home, person, word)),

    told: (home) =>
      db.write(() => {
        db.run(`UPDATE home_people SET told = present WHERE ${OF_HOME}`, ...namesOf(home));
      }),

    list: () =>
      db.read(() =>
        db
          .all<HomePersonRow>("SELECT * FROM home_people ORDER BY platform, account, since")
          .flatMap((row) => toHomePerson(row) ?? []),
      ),
  };
}

const OF_HOME = "platform = ? AND account = ? AND home = ?";

function see(context: Context, home: SeenHome): HomePerson {
  const { db } = context;
  if (rowOf(context, home)) {
    const sql = `UPDATE home_people SET present = ?, is_private = ? WHERE ${OF_HOME}`;
    db.run(sql, JSON.stringify(home.present), Number(home.isPrivate), ...namesOf(home));
  } else {
    const [only, ...others] = home.present;
    const isSure = home.isPrivate && (home.isFixed || !hasBeenUsed(context, home.chat));
    const person = only !== undefined && others.length === 0 && isSure ? only : null;
    insert(context, home, { person, word: "platform" });
  }
  return required(context, home);
}

function set(
  context: Context,
  home: Omit<SeenHome, "isFixed">,
  said: string,
  word: "sethome" | "terminal",
): HomePerson {
  const rows = new IdentityRows(context, home);
  const name = rows.holder(said)?.person ?? said;
  const isNamed = rows.isPerson(home.home) && rows.isPerson(name) && name !== home.home;
  if (isNamed && word === "terminal") {
    // The key of the home channel's chat id belonged to somebody else, or to nobody after joined ids were parted.
    for (const row of rows.of(home.home)) rows.end(row, "terminal");
    rows.merge(name, home.home);
  }
  const person = isNamed && word === "terminal" ? home.home : name;
  context.db.run(`DELETE FROM home_people WHERE ${OF_HOME}`, ...namesOf(home));
  // Where nobody was reported, the person is the only one that anybody knows of, until the platform tells otherwise.
  const present = home.present.length === 0 ? [person] : home.present;
  insert(context, { ...home, present }, { person, word });
  return required(context, home);
}

/** Whether a message of the chat was ever accepted, or a session was bound there. */
function hasBeenUsed({ db }: Context, chat: SessionKey): boolean {
  const isInChat = "key = +$chat OR substr(key, 1, length($chat) + 1) = $chat || ':'";
  return (
    db.get("SELECT 1 FROM inbox WHERE chat = ? LIMIT 1", chat) !== undefined ||
    db.get(`SELECT 1 FROM bindings WHERE ${isInChat} LIMIT 1`, { chat }) !== undefined
  );
}

function insert(
  { db, clock }: Context,
  home: Omit<SeenHome, "isFixed">,
  row: Pick<HomePersonRow, "person" | "word">,
): void {
  const [platform, account, named] = namesOf(home);
  const { chat, name, isPrivate, present } = home;
  db.run(
    `INSERT INTO home_people (platform, account, home, chat, name, is_private, person, since, word, present)
     VALUES ($platform, $account, $named, $chat, $name, $isPrivate, $person, $since, $word, $present)`,
    {
      ...{ platform, account, named, chat, name, ...row },
      ...{ since: clock.now(), isPrivate: Number(isPrivate), present: JSON.stringify(present) },
    },
  );
}

function rowOf({ db }: Context, home: HomeName): HomePersonRow | undefined {
  return db.get<HomePersonRow>(`SELECT * FROM home_people WHERE ${OF_HOME}`, ...namesOf(home));
}

function required(context: Context, home: HomeName): HomePerson {
  const row = toHomePerson(rowOf(context, home));
  if (row === null) throw new Error("the home channel was written and is not there");
  return row;
}

function namesOf({ platform, account, home }: HomeName): readonly [string, string, string] {
  return [platform, account ?? "", home];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function toHomePerson(row: HomePersonRow | undefined): HomePerson | null {
  if (row === undefined) return null;
  const { account, present, told, is_private: isPrivate, ...rest } = row;
  return {
    ...rest,
    isPrivate: isPrivate === 1,
    account: account === "" ? undefined : account,
    present: JSON.parse(present) as string[],
    told: told === null ? null : (JSON.parse(told) as string[]),
  };
}

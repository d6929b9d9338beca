import type { UserStore } from "../people-stores.ts";
import type { Context } from "./connection.ts";
import { readable } from "./text.ts";

export function sqliteUsers({ db }: Context): UserStore {
  const nameOf: UserStore["name"] = (user) =>
    db.read(() => db.get<{ name: string }>("SELECT name FROM users WHERE id = ?", user)?.name ?? null);
  return {
    async note(user, name) {
      const known = readable(name);
      // Called for every message, and names seldom change: mostly no write is needed.
      if ((await nameOf(user)) === known) return;
      await db.write(() => {
        db.run(
          "INSERT INTO users (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
          user,
          known,
        );
      });
    },

    name: nameOf,

    countRefused: (platform, account) =>
      db.write(() => {
        db.run(
          `INSERT INTO refusals (platform, account, count) VALUES (?, ?, 1)
           ON CONFLICT (platform, account) DO UPDATE SET count = count + 1`,
          platform,
          account ?? "",
        );
      }),

    refused: (platform, account) =>
      db.read(
        () =>
          db.get<{ count: number }>(
            "SELECT count FROM refusals WHERE platform = ? AND account = ?",
            platform,
            account ?? "",
          )?.count ?? 0,
      ),
  };
}

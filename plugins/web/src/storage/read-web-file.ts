import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { FILE_NAME } from "./database.ts";
import { metaOf } from "./meta.ts";

/** The plugin's file as the last server left it. */
export interface ServedBefore {
  readonly epoch: string;
  readonly port: number | null;
  /** How many browsers are signed in. */
  readonly browsers: number;
}

/** Reads the plugin's file without changing it, also beside a running gateway. Null if the page was never served. */
export function readWebFile(folder: string, now: number): ServedBefore | null {
  const path = join(folder, FILE_NAME);
  if (!existsSync(path)) return null;
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const { epoch, port } = metaOf(db);
    const signedIn = db.prepare<[number], { count: number }>(
      "SELECT count(*) AS count FROM browsers WHERE expires_at > ?",
    );
    return { epoch, port, browsers: signedIn.get(now)?.count ?? 0 };
  } finally {
    db.close();
  }
}

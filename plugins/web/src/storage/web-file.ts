import { Changes } from "./changes.ts";
import { openDatabase } from "./database.ts";
import { Messages } from "./messages.ts";
import { type Meta, metaOf } from "./meta.ts";
import { SignIns } from "./sign-ins.ts";
import { Threads } from "./threads.ts";

/** The plugin's own file, `web.db`: what a platform elsewhere would keep on its servers. */
export interface WebFile extends Disposable {
  readonly meta: Meta;
  readonly changes: Changes;
  readonly threads: Threads;
  readonly messages: Messages;
  readonly signIns: SignIns;
}

export function openWebFile(folder: string, options: { readonly now: number; readonly busyMs?: number }): WebFile {
  const db = openDatabase(folder, { now: options.now, busyMs: options.busyMs ?? 100 });
  const changes = new Changes(db);
  const threads = new Threads(db, changes);
  return {
    meta: metaOf(db),
    changes,
    threads,
    messages: new Messages(db, changes, threads),
    signIns: new SignIns(db),
    [Symbol.dispose]: () => db.close(),
  };
}

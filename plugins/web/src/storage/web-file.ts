import type { Redactor } from "@hermes/core";
import { Changes } from "./changes.ts";
import { openDatabase } from "./database.ts";
import { Messages } from "./messages.ts";
import { type Meta, metaOf } from "./meta.ts";
import { Pruning } from "./pruning.ts";
import { SignIns } from "./sign-ins.ts";
import { Threads } from "./threads.ts";

/** The plugin's own file, `web.db`: the data that other platforms keep on their servers. */
export interface WebFile extends Disposable {
  readonly meta: Meta;
  readonly changes: Changes;
  readonly threads: Threads;
  readonly messages: Messages;
  readonly signIns: SignIns;
  readonly pruning: Pruning;
}

/** Opens the file. `redact` is applied to all text before it is written; without it, text is stored unchanged. */
export function openWebFile(
  folder: string,
  options: { readonly now: number; readonly busyMs?: number; readonly redact?: Redactor },
): WebFile {
  const { now, busyMs = 100, redact = (text) => text } = options;
  const db = openDatabase(folder, { now, busyMs, redact });
  const changes = new Changes(db);
  const threads = new Threads(db, changes, redact);
  return {
    meta: metaOf(db),
    changes,
    threads,
    messages: new Messages(db, changes, threads, redact),
    signIns: new SignIns(db),
    pruning: new Pruning(db, changes, threads),
    [Symbol.dispose]: () => db.close(),
  };
}

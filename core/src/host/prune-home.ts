import type { Clock } from "../base/clock.ts";
import { pruneFiles } from "../files/prune-files.ts";
import type { Store } from "../store/store.ts";
import { pruneOutputs } from "../tools/prune-outputs.ts";

/** Deletes what calls of tools kept in the home, and files that people sent, where nothing needs it any more. */
export async function pruneHome({ home, clock, store }: { home: string; clock: Clock; store: Store }): Promise<void> {
  await pruneOutputs(home, clock, async (id) => (await store.sessions.get(id)) !== null);
  await pruneFiles(home, clock, store.files);
}

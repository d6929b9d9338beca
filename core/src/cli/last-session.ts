import { EVERY_SESSION, type Session } from "../model/session.ts";
import type { Store } from "../store/store.ts";

/** The session of a folder that was used last. */
export async function lastSessionIn(store: Store, folder: string): Promise<Session | null> {
  let cursor: string | undefined;
  do {
    const page = await store.sessions.list({ visible: EVERY_SESSION, limit: 100, ...(cursor && { cursor }) });
    const found = page.sessions.find(({ workingDirectory }) => workingDirectory === folder);
    if (found !== undefined) return found;
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return null;
}

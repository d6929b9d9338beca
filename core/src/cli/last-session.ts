import { HermesError } from "../base/errors.ts";
import { findSession } from "../command/find-session.ts";
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

/** The session that `--session` names; without it, the one of the folder that was used last. Throws USAGE without one. */
export async function namedOrLastSession(
  store: Store,
  {
    reference,
    folder,
    command,
  }: { readonly reference: string | undefined; readonly folder: string; readonly command: string },
): Promise<Session> {
  if (reference !== undefined) return findSession(store, reference, EVERY_SESSION);
  const last = await lastSessionIn(store, folder);
  if (last !== null) return last;
  throw new HermesError("USAGE", { reason: "No session was begun in this folder: name one by --session", command });
}

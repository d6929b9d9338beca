import type { Clock } from "../base/clock.ts";
import type { Holder } from "../base/process-identity.ts";
import type { SessionId } from "../model/session.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";
import { sayAgo } from "./words.ts";

/**
 * Says where a session is open, one text a terminal or page: `in a terminal (pid 12), last used 5 min ago`. Leaves out
 * those of the process `here`.
 */
export async function openElsewhere(
  { store, clock, here }: { readonly store: Store; readonly clock: Clock; readonly here?: Holder["id"] | undefined },
  sessionId: SessionId,
): Promise<string[]> {
  const views = (await store.views.of(sessionId)).filter(({ holder }) => holder.id !== here);
  const places = views.map(async ({ surface, holder, restedMs }) => {
    const where =
      surface === "terminal"
        ? `in a${here === undefined ? "" : "nother"} terminal (pid ${holder.pid})`
        : `on a page, ${await lookUpPlace(store, surface)}`;
    return `${where}, last used ${sayAgo(clock.now(), clock.now() - restedMs)}`;
  });
  return Promise.all(places);
}

import { RecentMap } from "../../base/recent-map.ts";
import type { SessionId } from "../../model/session.ts";

/** Remembers which content of each file a session has read, so that nobody's change in between is written over. */
export class KnownFiles {
  readonly #digests = new RecentMap<string, string>(10_000);

  note(session: SessionId, path: string, digest: string): void {
    this.#digests.set(`${session}\n${path}`, digest);
  }

  /** The digest of what the session last saw; undefined where it has not read the file in this process. */
  digestOf(session: SessionId, path: string): string | undefined {
    return this.#digests.get(`${session}\n${path}`);
  }
}

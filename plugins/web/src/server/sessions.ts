import { type Clock, type Conversation, type ListedSession, threadName, type VisibleSessions } from "@hermes/core";
import { conversationOf, HOME_CHAT_ID, OWNER, threadIdOf } from "../source.ts";
import type { WebFile } from "../storage/web-file.ts";
import type { LiveUpdates } from "./live.ts";
import { runOnChange } from "./waking.ts";
import type { WireFound, WireListed, WireListedAnswer, WireSessionHere } from "./wire/session.ts";

/** Milliseconds between two looks at how the threads that are shown stand, and between two looks at the list. */
const LOOK_EVERY_MS = 250;
const LIST_EVERY_MS = 1_000;

/** The longest name of a thread, in UTF-16 units. */
export const LONGEST_NAME = 100;

/** How many sessions are looked at to tell whether the list has changed: as many as a page shows at first. */
export const FIRST_PAGE = 30;

/** The sessions that whoever is signed in at the page may see. The visitor is never taken from a request. */
export class PageSessions {
  readonly #sessions: VisibleSessions;
  readonly #account: string | undefined;
  readonly #file: WebFile;
  /** What open pages were told last, as JSON: of the list, and by thread. */
  #list = "";
  readonly #here = new Map<string, string>();

  constructor(sessions: VisibleSessions, account: string | undefined, file: WebFile) {
    this.#sessions = sessions;
    this.#account = account;
    this.#file = file;
  }

  async list(query: Parameters<VisibleSessions["list"]>[1]): Promise<WireListedAnswer> {
    const { sessions, cursor } = await this.#sessions.list(this.#visitor(HOME_CHAT_ID), query);
    return { sessions: sessions.map((session) => this.#listed(session)), cursor };
  }

  async search(query: Parameters<VisibleSessions["search"]>[1]): Promise<WireFound[]> {
    const found = await this.#sessions.search(this.#visitor(HOME_CHAT_ID), query);
    return found.map(({ session, ...hit }) => ({ ...hit, session: this.#listed(session) }));
  }

  /** One of the sessions that may be seen now; null for any other. */
  async get(id: string): Promise<WireListed | null> {
    const { sessions } = await this.list({ limit: 20, matching: id });
    return sessions.find((session) => session.id === id) ?? null;
  }

  async here(threadId: string): Promise<WireSessionHere> {
    const { id: sessionId, ...stands } = await this.#sessions.here(this.#visitor(threadId));
    return { sessionId, ...stands };
  }

  /** Tells open pages when the list, or how the thread stands that they show, has changed. */
  wake(live: LiveUpdates, clock: Clock): Disposable {
    const watch = (listener: () => void) => this.#sessions.watch(listener);
    const list = runOnChange(watch, clock, LIST_EVERY_MS, async () => {
      if (live.count > 0) await this.#tellList(live);
    });
    const here = runOnChange(watch, clock, LOOK_EVERY_MS, () => this.#tellHere(live));
    return {
      [Symbol.dispose]() {
        list[Symbol.dispose]();
        here[Symbol.dispose]();
      },
    };
  }

  async #tellList(live: LiveUpdates): Promise<void> {
    // Whoever may see none any more is told so by the next request.
    const shown = JSON.stringify(await this.list({ limit: FIRST_PAGE }).catch(() => null));
    if (shown === this.#list) return;
    this.#list = shown;
    live.tell({ type: "sessions" });
  }

  async #tellHere(live: LiveUpdates): Promise<void> {
    const watched = live.watched;
    for (const threadId of this.#here.keys()) if (!watched.includes(threadId)) this.#here.delete(threadId);
    for (const threadId of watched) {
      const here = await this.here(threadId).catch(() => null);
      const shown = JSON.stringify(here);
      if (shown === this.#here.get(threadId)) continue;
      this.#here.set(threadId, shown);
      live.tellShown(threadId, { type: "session", threadId, session: here });
    }
  }

  /** As the page knows it. A thread is called as the session that it shows. */
  #listed({ here, ...session }: ListedSession): WireListed {
    const threads = here.map(threadIdOf).filter((id) => this.#file.threads.has(id));
    const name = session.title === null ? "" : threadName(session.title, LONGEST_NAME);
    for (const id of threads) if (name !== "" && id !== HOME_CHAT_ID) this.#file.threads.rename(id, name);
    return { ...session, threads };
  }

  #visitor(threadId: string): { readonly conversation: Conversation; readonly sender: typeof OWNER } {
    return { conversation: conversationOf(threadId, this.#account), sender: OWNER };
  }
}

import type { Clock, OperatorOverview, OverviewAction, OverviewQuery } from "@hermes/core";
import { conversationOf, HOME_CHAT_ID, OWNER } from "../source.ts";
import type { LiveUpdates } from "./live.ts";
import { runOnChange } from "./waking.ts";

/** Milliseconds between two signs that something changed: an answer that grows writes many times a second. */
const WAKE_EVERY_MS = 1_000;

/** What only the operator may see, asked for as whoever is signed in at the page. */
export class PageOverview {
  readonly #overview: OperatorOverview;
  readonly #account: string | undefined;
  /** Whether pages may show some of it. */
  #wasAllowed = false;

  constructor(overview: OperatorOverview, account: string | undefined) {
    this.#overview = overview;
    this.#account = account;
  }

  async isAllowed(): Promise<boolean> {
    const isAllowed = await this.#overview.isFor(this.#visitor());
    if (isAllowed) this.#wasAllowed = true;
    return isAllowed;
  }

  read(query: OverviewQuery) {
    return this.#overview.read(this.#visitor(), query);
  }

  act(action: OverviewAction) {
    return this.#overview.act(this.#visitor(), action);
  }

  /** Wakes the open pages when something changed, while the person at them may see it, and once when they no longer may. */
  wake(live: LiveUpdates, clock: Clock): Disposable {
    return runOnChange(
      (listener) => this.#overview.watch(listener),
      clock,
      WAKE_EVERY_MS,
      async () => {
        if (live.count === 0) return;
        // Asked again with the next change: the store may be busy.
        const isAllowed = await this.isAllowed().catch(() => this.#wasAllowed);
        if (this.#wasAllowed) live.tell({ type: "overview" });
        this.#wasAllowed = isAllowed;
      },
    );
  }

  /** Never taken from a request. */
  #visitor() {
    return { conversation: conversationOf(HOME_CHAT_ID, this.#account), sender: OWNER };
  }
}

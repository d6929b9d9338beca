import { type Clock, type Conversation, RecentMap } from "@hermes/core";
import type { SlackApi } from "./api.ts";

/** The status that Slack shows after the bot's name. */
const STATUS = "is writing…";

/** The shortest time between two calls for one status, in milliseconds: Slack shows it for two minutes. */
const SHOWN_AGAIN_AFTER_MS = 60_000;

/** The most places in memory. */
const MOST_PLACES = 1_000;

interface ShownStatus {
  /** An existing message: Slack shows a status at one. */
  anchor: string | undefined;
  /** Whether Hermes has answered since: that is sign enough, and a status set later would not end by itself. */
  isAnswered: boolean;
  /** When the status was set; null if none is shown. */
  shownAt: number | null;
}

/**
 * Shows "Hermes is writing…" by `assistant.threads.setStatus`, which any app with `chat:write` may call for any
 * existing message. In a thread the next message ends it.
 */
export class WritingStatus {
  readonly #api: SlackApi;
  readonly #clock: Clock;
  readonly #places = new RecentMap<string, ShownStatus>(MOST_PLACES);

  constructor(api: SlackApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Called when a person wrote the message `ts`. */
  heard(at: Conversation, ts: string): void {
    const place = this.#placeOf(at);
    place.anchor = at.threadId ?? ts;
    place.isAnswered = false;
  }

  async show(at: Conversation, signal: AbortSignal): Promise<void> {
    const place = this.#placeOf(at);
    const now = this.#clock.now();
    if (place.isAnswered || (place.shownAt !== null && now - place.shownAt < SHOWN_AGAIN_AFTER_MS)) return;
    place.anchor ??= await this.#newestMessage(at, signal);
    if (place.anchor === undefined) return;
    place.shownAt = now;
    await this.#set(at, place.anchor, STATUS, signal);
  }

  /** Called when Hermes has sent something there. */
  ended(at: Conversation): void {
    const place = this.#placeOf(at);
    place.isAnswered = true;
    if (place.shownAt === null) return;
    place.shownAt = null;
    // An answer outside the anchor's thread does not end it.
    if (at.threadId === undefined && place.anchor !== undefined) this.#set(at, place.anchor, "").catch(() => {});
  }

  async #set({ chatId }: Conversation, ts: string, status: string, signal?: AbortSignal): Promise<void> {
    await this.#api.call("assistant.threads.setStatus", { channel_id: chatId, thread_ts: ts, status }, { signal });
  }

  async #newestMessage({ chatId }: Conversation, signal: AbortSignal): Promise<string | undefined> {
    const { messages } = await this.#api.call("conversations.history", { channel: chatId, limit: 1 }, { signal });
    const [newest] = messages as readonly { readonly ts: string }[];
    return newest?.ts;
  }

  #placeOf({ chatId, threadId }: Conversation): ShownStatus {
    const key = `${chatId} ${threadId ?? ""}`;
    const place = this.#places.get(key) ?? { anchor: threadId, isAnswered: false, shownAt: null };
    this.#places.set(key, place);
    return place;
  }
}

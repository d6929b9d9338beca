import { type Clock, type Conversation, RecentMap } from "@hermes/core";
import type { SlackApi } from "./api.ts";

/** What Slack shows behind the bot's name. */
const STATUS = "is writing…";

/** Slack shows a status for two minutes, so it is not set more often than this, in milliseconds. */
const SHOWN_AGAIN_AFTER_MS = 60_000;

/** How many places are remembered. */
const MOST_PLACES = 1_000;

interface Place {
  /** A message that is there; Slack shows a status at a message. */
  anchor: string | undefined;
  /** Something was said since a person wrote: that is sign enough, and nothing would take the status away again. */
  isAnswered: boolean;
  /** When the status was set; null when it is not shown. */
  shownAt: number | null;
}

/**
 * "Hermes is writing…", by `assistant.threads.setStatus`: Slack takes it from every app with `chat:write`, at any
 * message that is there. In a thread it ends with the next message by itself.
 */
export class WritingStatus {
  readonly #api: SlackApi;
  readonly #clock: Clock;
  readonly #places = new RecentMap<string, Place>(MOST_PLACES);

  constructor(api: SlackApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** A person wrote the message `ts`. */
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

  /** Something was said there. */
  ended(at: Conversation): void {
    const place = this.#placeOf(at);
    place.isAnswered = true;
    if (place.shownAt === null) return;
    place.shownAt = null;
    // An answer beside the anchor does not end it.
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

  #placeOf({ chatId, threadId }: Conversation): Place {
    const key = `${chatId} ${threadId ?? ""}`;
    const place = this.#places.get(key) ?? { anchor: threadId, isAnswered: false, shownAt: null };
    this.#places.set(key, place);
    return place;
  }
}

import { type Clock, RecentMap } from "@hermes/core";
import type { SlackApi } from "./api.ts";

/** How long a name is cached, and how long a failed look-up is not repeated, in milliseconds. */
const FRESH_MS = 60 * 60_000;
const FAILED_MS = 5 * 60_000;

/** The longest that a message waits for a name, in milliseconds. */
const ASKED_WITHIN_MS = 2_000;

/** The most names in the cache; the oldest is dropped first. */
const MOST_NAMES = 5_000;

interface Entry {
  readonly name: Promise<string | undefined>;
  until: number;
}

/** Looks up the names of people and channels, which events lack. */
export class Directory {
  readonly #api: SlackApi;
  readonly #clock: Clock;
  readonly #entries = new RecentMap<string, Entry>(MOST_NAMES);

  constructor(api: SlackApi, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** A person's name; undefined if Slack does not answer in time, or the app lacks the right to ask. */
  userName(id: string): Promise<string | undefined> {
    return this.#name(id, async (signal) => {
      const { user } = await this.#api.call("users.info", { user: id }, { signal });
      const { profile, real_name: realName, name } = Object(user);
      return nonEmpty(profile?.display_name) ?? nonEmpty(realName) ?? nonEmpty(name);
    });
  }

  /** A channel's name without `#`; undefined for direct messages. */
  channelName(id: string): Promise<string | undefined> {
    if (id.startsWith("D")) return Promise.resolve(undefined);
    return this.#name(id, async (signal) => {
      const { channel } = await this.#api.call("conversations.info", { channel: id }, { signal });
      return nonEmpty(Object(channel).name);
    });
  }

  #name(id: string, ask: (signal: AbortSignal) => Promise<string | undefined>): Promise<string | undefined> {
    const known = this.#entries.get(id);
    const now = this.#clock.now();
    if (known && known.until > now) return known.name;
    const name = ask(AbortSignal.timeout(ASKED_WITHIN_MS)).catch(() => {
      entry.until = this.#clock.now() + FAILED_MS;
      return undefined;
    });
    const entry: Entry = { name, until: now + FRESH_MS };
    this.#entries.set(id, entry);
    return name;
  }
}

function nonEmpty(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

import type { HomeChannel } from "../adapter/conversation.ts";
import type { GatewayRow } from "../model/gateway-row.ts";

/** The result of examining a store from outside, while others use it. */
export interface StoreReport {
  readonly file: string;
  /** The size of the file in bytes; null if it does not exist yet. */
  readonly size: number | null;
  /** The size of the write-ahead log, in bytes. */
  readonly logSize: number;
  /** The version of the tables in the file, and the version that this Hermes knows. */
  readonly version: number;
  readonly knownVersion: number;
  /** Null if the tables have another version, or are damaged. */
  readonly content: StoreContent | null;
}

export interface StoreContent {
  /** The numbers of messages that wait to be sent, and of those that were refused for good. */
  readonly waiting: number;
  readonly failed: number;
  /** The number of messages that a search cannot find yet. */
  readonly notIndexed: number;
  /** When the newest row was written, in milliseconds since 1970; 0 for an empty store. */
  readonly newestAt: number;
  readonly alive: readonly GatewayRow[];
  readonly silent: readonly GatewayRow[];
  /** The home channels that were set with /sethome. */
  readonly homes: readonly {
    readonly platform: string;
    readonly account: string | undefined;
    readonly home: HomeChannel;
  }[];
}

/** The damage of a store's file. */
export interface StoreDamage {
  /** In SQLite's own words; empty if the file is intact. */
  readonly rows: readonly string[];
  /** Whether only the search index is damaged. */
  readonly isOfIndex: boolean;
}

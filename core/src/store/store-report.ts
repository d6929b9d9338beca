import type { HomeChannel } from "../adapter/conversation.ts";
import type { GatewayRow } from "../model/gateway-row.ts";

/** What can be said of a store from outside, while others use it. */
export interface StoreReport {
  readonly file: string;
  /** In bytes; null where there is no file yet. */
  readonly size: number | null;
  /** Of the write-ahead log, in bytes. */
  readonly logSize: number;
  /** Of the tables in the file, and of those that this Hermes knows. */
  readonly version: number;
  readonly knownVersion: number;
  /** Null where the tables are of another version, or damaged. */
  readonly content: StoreContent | null;
}

export interface StoreContent {
  /** Messages that are still to be sent, and those that were refused for good. */
  readonly waiting: number;
  readonly failed: number;
  /** Messages that a search does not find yet. */
  readonly notIndexed: number;
  /** When the newest row was written, in milliseconds since 1970; 0 in an empty store. */
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

/** What is damaged in a store's file. */
export interface StoreDamage {
  /** In SQLite's words; empty where the file is whole. */
  readonly rows: readonly string[];
  /** Nothing but the index that a search reads. */
  readonly isOfIndex: boolean;
}

import type { OutboundMessage } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import { type Token, token } from "../base/tokens.ts";
import type { NewSession, Session, SessionId, Visibility } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { DeliveryStore, Inbox, Outbox, TypedLines } from "./message-stores.ts";
import type { HomePeople, IdentityStore, UserStore } from "./people-stores.ts";
import type { BindingStore, GatewayStore, HandoffStore, LeaseStore, TurnStore } from "./work-stores.ts";

/**
 * Everything Hermes keeps. Asynchronous, so that a networked database can implement it; there are no open
 * transactions: each step that has to be atomic is one call. `describeStore` of `@hermes/testing` proves a store.
 */
export interface Store {
  readonly sessions: SessionStore;
  readonly transcripts: TranscriptStore;
  readonly turns: TurnStore;
  readonly typedLines: TypedLines;
  readonly handoffs: HandoffStore;
  readonly bindings: BindingStore;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly deliveries: DeliveryStore;
  readonly leases: LeaseStore;
  readonly gateways: GatewayStore;
  readonly users: UserStore;
  readonly identities: IdentityStore;
  readonly homePeople: HomePeople;
  /**
   * Deletes some of the rows that have been done, closed or taken out of a transcript for 30 days, in a step so small that
   * nobody waits for it. Returns how many rows it deleted; 0 when none is left.
   */
  prune(): Promise<number>;
  /** Calls `listener` soon after this or another process wrote. Calls come in bunches; whoever listens looks for itself. */
  watch(listener: () => void): Disposable;
  close(): Promise<void>;
}

export const STORE: Token<Store> = token("store");

export interface SessionStore {
  /** A title that is taken gets a number: `plan`, `plan 2`. Throws TITLE_INVALID. */
  create(session: NewSession): Promise<Session>;
  get(id: SessionId): Promise<Session | null>;
  /** The one used last first. `cursor` is what the page before returned. */
  list(query: { readonly visible: Visibility; readonly limit: number; readonly cursor?: string }): Promise<SessionPage>;
  /**
   * Finds the sessions that a person may mean by an id or whole title, else by the beginning of an id or a part of a
   * title. Returns all matches, the most recently used first, 20 at most.
   */
  find(reference: string, visible: Visibility): Promise<Session[]>;
  /** Returns the title it got: one that is taken gets a number. Throws TITLE_INVALID, SESSION_UNKNOWN. */
  setTitle(id: SessionId, title: string): Promise<string>;
  setModel(id: SessionId, model: string): Promise<void>;
  /**
   * With transcript, bindings and history. In the same step `farewell` is queued for each conversation that led to it, so
   * that none goes on in an empty session without a word. Returns those. Throws SESSION_BUSY and HANDOFF_IN_FLIGHT.
   */
  delete(id: SessionId, farewell?: OutboundMessage): Promise<SessionKey[]>;
  count(): Promise<number>;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  readonly cursor: string | null;
}

export interface TranscriptStore {
  /** In order of writing. `after` and `before` are seqs, not included; without `after`, the last `limit` ones. */
  read(
    sessionId: SessionId,
    range?: { readonly after?: number; readonly before?: number; readonly limit?: number },
  ): Promise<TranscriptMessage[]>;
  /**
   * Messages that hold all the words, newest first. Where whole words are found in fewer messages than `limit`, those with
   * words that begin so count too, from three letters on. In a script that puts no space between words, any part of a
   * text is found. A store that has yet to index what is there calls `onIndexing` meanwhile.
   */
  search(query: {
    readonly text: string;
    readonly visible: Visibility;
    readonly limit: number;
    readonly onIndexing?: (progress: { readonly done: number; readonly of: number }) => void;
  }): Promise<SearchHit[]>;
}

export interface SearchHit {
  readonly sessionId: SessionId;
  readonly title: string | null;
  readonly seq: number;
  readonly role: TranscriptMessage["role"];
  /** The place in the text, with the words found between `[` and `]`. */
  readonly snippet: string;
  readonly createdAt: number;
}

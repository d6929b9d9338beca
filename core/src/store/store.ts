import type { OutboundMessage } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import { type Token, token } from "../base/tokens.ts";
import type { BindingStore } from "../model/binding.ts";
import type { DeliveryStore } from "../model/delivery.ts";
import type { GatewayStore } from "../model/gateway-row.ts";
import type { HandoffStore } from "../model/handoff.ts";
import type { HomePeople } from "../model/home-person.ts";
import type { IdentityStore } from "../model/identity.ts";
import type { Inbox } from "../model/inbox.ts";
import type { Outbox } from "../model/outbox.ts";
import type { NewSession, Session, SessionId, Visibility } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { TurnStore } from "../model/turn.ts";
import type { TypedLines } from "../model/typed-line.ts";
import type { LeaseStore } from "./lease.ts";
import type { UserStore } from "./user.ts";

/**
 * Everything Hermes keeps. Asynchronous, so that a networked database can implement it; there are no open
 * transactions: each step that has to be atomic is one call. `describeStore` of `@hermes/core/testing` proves a store.
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
   * Removes some of what has served its time, in a step so small that nobody waits for it: what has been done, closed or
   * taken out of a transcript for 30 days. Returns how many rows went; 0 when nothing is left.
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
   * What a person may mean: an id, the whole title, else the beginning of an id or a part of a title. Several that fit
   * are all returned, the one used last first, 20 at most: nobody guesses.
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
  /** Messages that hold all the words, newest first. */
  search(query: { readonly text: string; readonly visible: Visibility; readonly limit: number }): Promise<SearchHit[]>;
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

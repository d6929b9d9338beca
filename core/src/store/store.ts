import type { OutboundMessage } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import { type Token, token } from "../base/tokens.ts";
import type { ForkSession, NewSession, Session, SessionId, SessionMode, Visibility } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { KeptState } from "../model/work-state.ts";
import type { AskStore } from "./ask-store.ts";
import type { AwayStore } from "./away-store.ts";
import type { CodeStore } from "./code-store.ts";
import type { CompactionStore } from "./compaction-store.ts";
import type { DeliveryStore, Inbox, Outbox, TypedLines } from "./message-stores.ts";
import type { OverviewStore } from "./overview-store.ts";
import type { GrantStore, HomePeople, IdentityStore, PeopleStore, UserStore } from "./people-stores.ts";
import type { PlaceStore } from "./place-store.ts";
import type { UsageStore } from "./usage-store.ts";
import type { ViewStore } from "./view-store.ts";
import type { ApprovalStore, BindingStore, GatewayStore, HandoffStore, LeaseStore, TurnStore } from "./work-stores.ts";

/**
 * Stores everything that Hermes keeps. It is asynchronous, so that a networked database can implement it. There are no
 * transactions across calls: each step that must be atomic is one call. `describeStore` of `@hermes/testing/store-kit`
 * tests it.
 */
export interface Store {
  readonly sessions: SessionStore;
  readonly transcripts: TranscriptStore;
  readonly compactions: CompactionStore;
  readonly turns: TurnStore;
  readonly approvals: ApprovalStore;
  readonly asks: AskStore;
  readonly typedLines: TypedLines;
  readonly handoffs: HandoffStore;
  readonly away: AwayStore;
  readonly bindings: BindingStore;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly deliveries: DeliveryStore;
  readonly leases: LeaseStore;
  readonly gateways: GatewayStore;
  readonly users: UserStore;
  readonly identities: IdentityStore;
  readonly homePeople: HomePeople;
  readonly people: PeopleStore;
  readonly grants: GrantStore;
  readonly codes: CodeStore;
  readonly views: ViewStore;
  readonly overview: OverviewStore;
  readonly places: PlaceStore;
  readonly files: FileNames;
  readonly usage: UsageStore;
  /**
   * Deletes some of the rows that were done, closed or taken out of a transcript 30 days ago, in a step so small that it
   * delays nobody. Returns how many rows it deleted; 0 when none is left.
   */
  prune(): Promise<number>;
  /**
   * Calls `listener` soon after this or another process wrote. Calls are coalesced, and do not say what changed. With `of`,
   * writes of this process that changed none of these rows need not be told.
   */
  watch(listener: () => void, of?: readonly WatchedRows[]): Disposable;
  close(): Promise<void>;
}

/** Rows that are watched by themselves; `away` is where sessions go by themselves. */
export type WatchedRows = "handoffs" | "away" | "outbox" | "turns" | "approvals" | "asks";

export const STORE: Token<Store> = token("store");

export interface SessionStore {
  /**
   * Creates a session. A title that another session of its user has gets a number: `plan`, `plan 2`. One that is read in
   * shared chats, where it began or by a binding, is told apart from the sessions that are seen in each of them instead,
   * and one that somebody else reads by a pass from none. What others have, a number must not tell. Throws TITLE_INVALID.
   */
  create(session: NewSession): Promise<Session>;
  /**
   * Makes a copy of a session's transcript up to a message, in one step: a session of its own with a title of its own
   * (`plan (fork)`) and the same directory, model and mode. A call that has no result gets one that says so, and an open
   * turn is closed there. No binding, turn or question goes along. `once` is an idempotency key. Throws SESSION_UNKNOWN.
   */
  fork(request: ForkSession): Promise<Session>;
  get(id: SessionId): Promise<Session | null>;
  /** Where the work of a session stands, as a model said it at a handoff; null where none did. See `finishTurn`. */
  keptState(id: SessionId): Promise<KeptState | null>;
  /**
   * Lists sessions, the most recently used first. `cursor` comes from the previous page. `matching`: only those whose title
   * has this text, in any case, or whose id begins with it.
   */
  list(query: {
    readonly visible: Visibility;
    readonly limit: number;
    readonly cursor?: string;
    readonly matching?: string;
  }): Promise<SessionPage>;
  /**
   * Finds the sessions that a person may mean by an id or whole title, which several people may have, else by the
   * beginning of an id or a part of a title. Returns all matches, the most recently used first, 20 at most.
   */
  find(reference: string, visible: Visibility): Promise<Session[]>;
  /** Sets and returns the title: one that is taken, as in `create`, gets a number. Throws TITLE_INVALID, SESSION_UNKNOWN. */
  setTitle(id: SessionId, title: string): Promise<string>;
  /** Sets how much a session asks. False when there is no such session. */
  setMode(id: SessionId, mode: SessionMode): Promise<boolean>;
  /** Sets the model of a session; null: it has none of its own. Throws SESSION_UNKNOWN. */
  setModel(id: SessionId, model: string | null): Promise<void>;
  /**
   * Deletes a session with its transcript, bindings and history. In the same step, queues `farewell` for each
   * conversation bound to it, so that none continues in an empty session unawares. A turn that waits is ended, and its
   * questions are closed. Returns their keys. Throws
   * SESSION_BUSY and HANDOFF_IN_FLIGHT.
   */
  delete(id: SessionId, farewell?: OutboundMessage): Promise<SessionKey[]>;
  count(): Promise<number>;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  readonly cursor: string | null;
}

/** Knows which files rows name; their content is kept in Hermes' home. */
export interface FileNames {
  /**
   * The hashes among `hashes` that a row names: a message of a transcript, also one that was taken out of it, a message
   * that waits for its answer, or one that was not sent yet.
   */
  named(hashes: readonly string[]): Promise<string[]>;
}

export interface TranscriptRange {
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
  /** Bytes of text. */
  readonly room?: number;
}

export interface TranscriptStore {
  /**
   * Reads messages in order. `after` and `before` are exclusive seqs; without `after`, returns the last `limit` ones. Where
   * the texts have no `room` together, which goes with neither `before` nor `limit`, a mark stands for the longest ones
   * between the beginning and the end. Of what a tool put out, the beginning stays. A store may return more than that.
   */
  read(sessionId: SessionId, range?: TranscriptRange): Promise<TranscriptMessage[]>;
  /**
   * Finds messages that contain all the words, newest first. If fewer than `limit` messages contain the whole words,
   * words of three letters and more also match as prefixes. In a script without spaces between words, any part of a text
   * is found. Calls `onIndexing` while the store still has to index older messages.
   */
  search(query: {
    readonly text: string;
    readonly visible: Visibility;
    /** Leaves out what tools put out. */
    readonly onlySaid?: boolean;
    readonly limit: number;
    readonly onIndexing?: (progress: { readonly done: number; readonly of: number }) => void;
  }): Promise<SearchHit[]>;
}

export interface SearchHit {
  readonly sessionId: SessionId;
  readonly title: string | null;
  readonly seq: number;
  readonly role: TranscriptMessage["role"];
  /** An excerpt of the text, with the found words in `[` and `]`. */
  readonly snippet: string;
  readonly createdAt: number;
}

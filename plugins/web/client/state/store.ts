import { useEffect, useState } from "preact/hooks";
import type { WireFound, WireListed, WireSessionHere } from "../../src/server/wire/session.ts";
import type {
  WireFile,
  WireGrowing,
  WireMessage,
  WireQuote,
  WireThread,
  WireTurn,
} from "../../src/server/wire/thread.ts";

/** A person's message that the server has not confirmed. */
export interface Outgoing {
  readonly id: string;
  readonly threadId: string;
  readonly text: string;
  readonly files?: readonly WireFile[];
  readonly replyTo: WireQuote | null;
  readonly at: number;
  /** `waiting`: it is tried again by itself. `failed`: it is not. */
  readonly state: "sending" | "waiting" | "failed";
  /** Why it failed, in a sentence. */
  readonly reason: string | null;
}

/** The latest press of a message's buttons on this page. */
export interface Pressed {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The version of the message that was pressed: its `change`. */
  readonly change: number;
  readonly state: "sending" | "sent" | "failed";
  /** Why it failed, in a sentence. */
  readonly reason: string | null;
}

/** What is known of a thread's messages. */
export interface Log {
  /** By `seq`. */
  readonly messages: readonly WireMessage[];
  readonly hasMore: boolean;
  readonly isLoaded: boolean;
}

/** The sessions that the list shows. */
interface Sessions {
  readonly list: readonly WireListed[];
  /** Of the next page; null at the end. */
  readonly cursor: string | null;
  /** Why they could not be loaded, in a sentence. */
  readonly problem: string | null;
}

/** What is looked for, and what was found. */
interface Search {
  readonly words: string;
  readonly titled: readonly WireListed[];
  readonly found: readonly WireFound[];
  readonly problem: string | null;
  readonly isDone: boolean;
}

export interface State {
  readonly phase: "loading" | "signed-out" | "ready";
  /** Why signing in did not work, in a sentence. */
  readonly refusal: string | null;
  readonly connection: "connecting" | "live" | "lost";
  readonly threads: ReadonlyMap<string, WireThread>;
  readonly logs: ReadonlyMap<string, Log>;
  /** Until when, in milliseconds since 1970, an answer is being written in a thread. */
  readonly typing: ReadonlyMap<string, number>;
  /** What is being said elsewhere, by thread. */
  readonly growing: ReadonlyMap<string, WireGrowing>;
  /** The calls of tools that may be seen, by turn. */
  readonly turns: ReadonlyMap<string, WireTurn>;
  /** By thread: the turn that is shown live. */
  readonly running: ReadonlyMap<string, string>;
  /** Rises when calls may have changed unseen. */
  readonly callsChange: number;
  /** Who else can read the session of a thread, a sentence for each place. */
  readonly readers: ReadonlyMap<string, readonly string[]>;
  /** When a message changed while the page looked; an answer that changed just now is growing. */
  readonly changedAt: ReadonlyMap<string, number>;
  readonly outgoing: readonly Outgoing[];
  /** What the next message of a thread replies to. */
  readonly replyingTo: ReadonlyMap<string, WireQuote>;
  /** By the message's id. */
  readonly pressed: ReadonlyMap<string, Pressed>;
  /** Whether Hermes shows sessions on the page. */
  readonly hasSessions: boolean;
  /** Null before they were loaded. */
  readonly sessions: Sessions | null;
  /** Rises when the list of sessions may have changed. */
  readonly sessionsChange: number;
  /** Null while nothing is looked for. */
  readonly search: Search | null;
  /** How the session of a thread stands; null where the person may not see it. */
  readonly here: ReadonlyMap<string, WireSessionHere | null>;
  /** The turns that were asked to stop: when each began, by thread. */
  readonly stopping: ReadonlyMap<string, number>;
  /** The id of the session that is being opened, `new` for a new one. */
  readonly opening: string | null;
  /** Why one could not be opened, in a sentence. */
  readonly openProblem: string | null;
  /** Whether the person is the operator, to whom the overview is shown. */
  readonly mayOversee: boolean;
  /** Rises when what the overview shows may have changed. */
  readonly overviewChange: number;
  /** What came of the last action in the overview. */
  readonly overviewSaid: { readonly text: string; readonly isProblem: boolean } | null;
}

let state: State = {
  phase: "loading",
  refusal: null,
  connection: "connecting",
  threads: new Map(),
  logs: new Map(),
  typing: new Map(),
  growing: new Map(),
  turns: new Map(),
  running: new Map(),
  callsChange: 0,
  readers: new Map(),
  changedAt: new Map(),
  outgoing: [],
  replyingTo: new Map(),
  pressed: new Map(),
  hasSessions: false,
  sessions: null,
  sessionsChange: 0,
  search: null,
  here: new Map(),
  stopping: new Map(),
  opening: null,
  openProblem: null,
  mayOversee: false,
  overviewChange: 0,
  overviewSaid: null,
};

const listeners = new Set<() => void>();

export function getState(): State {
  return state;
}

/** Changes the state, and draws the page anew. */
export function setState(change: Partial<State>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

/** The state, in a component. Preact draws once a frame however often it changes. */
export function useAppState(): State {
  const [current, setCurrent] = useState(state);
  useEffect(() => {
    const listener = () => setCurrent(state);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return current;
}

/** The map with one entry put in, as a new map. */
export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): Map<K, V> {
  return new Map(map).set(key, value);
}

export function withoutEntry<K, V>(map: ReadonlyMap<K, V>, key: K): Map<K, V> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}

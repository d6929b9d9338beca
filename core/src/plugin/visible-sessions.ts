import type { Conversation } from "../adapter/conversation.ts";
import type { Visitor } from "./operator-overview.ts";

/**
 * The sessions that somebody in a conversation of the plugin's own account may see: nothing that the commands tell them
 * there does not tell, too. Each call looks up, at that moment, who the visitor is to Hermes; NOT_ALLOWED for strangers and
 * guests. What is to be done in a session is a message with a command, handed over by `receive`.
 */
export interface VisibleSessions {
  /** A page of their sessions, the most recently used first. `matching`: as in `hermes sessions --matching`. */
  list(visitor: Visitor, query: SessionQuery): Promise<SessionPageFor>;
  /** Finds what was said in their sessions by words, newest first, as `hermes sessions search` does. */
  search(
    visitor: Visitor,
    query: { readonly words: string; readonly limit: number },
  ): Promise<readonly FoundInSession[]>;
  /** How things stand in the conversation itself, as /status, /model, /mode and /usage say there. */
  here(visitor: Visitor): Promise<SessionHere>;
  /** Calls `listener` soon after anything changed, without saying what. */
  watch(listener: () => void): Disposable;
}

/** Which sessions are listed: the newest, those behind a cursor, or those that hold some words. */
export interface SessionQuery {
  readonly limit: number;
  /** The cursor of the page before. */
  readonly after?: string | undefined;
  readonly matching?: string | undefined;
}

/** A page of the list of sessions. */
export interface SessionPageFor {
  readonly sessions: readonly ListedSession[];
  /** Of the next page; null at the end. */
  readonly cursor: string | null;
}

/** A session, as it stands in a list for the people of an account. */
export interface ListedSession {
  readonly id: string;
  /** People choose it. */
  readonly title: string | null;
  readonly messageCount: number;
  /** When it was last used, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** Where it was last used, such as `in the terminal`. Plain text: people choose names. */
  readonly lastPlace: string;
  /** How many questions wait in it for an answer. */
  readonly openQuestions: number;
  /** Whether a turn runs in it, or waits. */
  readonly isRunning: boolean;
  /** The visitor's chat and its threads that lead to it, the one used last first. */
  readonly here: readonly Conversation[];
  /** Where else it is open, for operators: `in a terminal (pid 12)`, `in #general on pager`. */
  readonly elsewhere: readonly string[];
}

/** A message in which something was found. */
export interface FoundInSession {
  readonly session: ListedSession;
  /** The number of the message. */
  readonly seq: number;
  readonly by: "you" | "agent" | "tool" | "hermes";
  /** When it was said, in milliseconds since 1970. */
  readonly at: number;
  /** The words around what was found. */
  readonly excerpt: readonly ExcerptPart[];
}

/** A part of an excerpt: what was looked for, or the words beside it. */
export interface ExcerptPart {
  readonly text: string;
  /** Whether it is what was looked for. */
  readonly isFound: boolean;
}

/** How the session of a conversation stands. */
export interface SessionHere {
  /** The session that the conversation leads to; null before the first message. */
  readonly id: string | null;
  readonly title: string | null;
  /** `<provider>/<model>`; null where none is set or known. */
  readonly model: string | null;
  /** Whether the model was chosen for this session, rather than in the config. */
  readonly isOwnModel: boolean;
  /** The models that the config names, for which /model can be asked; empty where the visitor may choose none. */
  readonly models: readonly string[];
  readonly mayChooseModel: boolean;
  readonly mode: string;
  readonly modes: readonly { readonly mode: string; readonly meaning: string; readonly isAllowed: boolean }[];
  /** How full the model's window was at the last request; null before the first. */
  readonly window: SessionWindow | null;
  /** What its requests used, as /usage says it; null without a session. */
  readonly usage: { readonly cost: string; readonly text: string } | null;
  /** The turn that runs or waits in it; `startedAt` in milliseconds since 1970. */
  readonly turn: {
    readonly state: "running" | "waiting";
    readonly place: string;
    readonly startedAt: number;
  } | null;
  /** Whether /stop of the visitor would end that turn. */
  readonly mayStop: boolean;
  /** Where else the session is open, for operators. */
  readonly elsewhere: readonly string[];
}

/** How much of what the model reads a session fills. */
export interface SessionWindow {
  /** Tokens that were sent. */
  readonly sent: number;
  /** Tokens that the model reads; null where that is not known. */
  readonly of: number | null;
  /** Whether Hermes estimated what was sent. */
  readonly isEstimated: boolean;
}

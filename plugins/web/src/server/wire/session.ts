/**
 * The JSON between the page and its server, about sessions. The page's build includes this file too, so it imports nothing.
 */

/** A session that the person may see. */
export interface WireListed {
  readonly id: string;
  readonly title: string | null;
  readonly messageCount: number;
  readonly updatedAt: number;
  /** Where it was last used, such as `in the terminal`. */
  readonly lastPlace: string;
  readonly openQuestions: number;
  readonly isRunning: boolean;
  /** The threads of the page that show it, the one used last first; `home` for the home channel. */
  readonly threads: readonly string[];
  /** Where else it is open, such as `in a terminal (pid 12)`. */
  readonly elsewhere: readonly string[];
}

/** GET /api/sessions */
export interface WireListedAnswer {
  /** The most recently used first. */
  readonly sessions: readonly WireListed[];
  /** The `after` for the next page; null at the end. */
  readonly cursor: string | null;
}

/** A message that was found by its words. */
export interface WireFound {
  readonly session: WireListed;
  readonly seq: number;
  readonly by: "you" | "agent" | "tool" | "hermes";
  readonly at: number;
  /** The words around what was found. */
  readonly excerpt: readonly { readonly text: string; readonly isFound: boolean }[];
}

/** GET /api/sessions/search: the newest message first. */
export interface FoundAnswer {
  readonly found: readonly WireFound[];
}

/** POST /api/sessions/open and /api/sessions/new */
export interface OpenedAnswer {
  readonly threadId: string;
}

/** GET /api/threads/:id/session */
export interface WireSessionHere {
  /** Null before the first message. */
  readonly sessionId: string | null;
  readonly title: string | null;
  /** `<provider>/<model>`; null where none is known. */
  readonly model: string | null;
  readonly isOwnModel: boolean;
  /** Models that can be chosen, besides any other by its name. */
  readonly models: readonly string[];
  readonly mayChooseModel: boolean;
  readonly mode: string;
  readonly modes: readonly { readonly mode: string; readonly meaning: string; readonly isAllowed: boolean }[];
  /** Tokens at the last request; `of`: that the model reads, null where that is not known. */
  readonly window: { readonly sent: number; readonly of: number | null; readonly isEstimated: boolean } | null;
  /** Such as `$1.20` and `$1.20 for 3 requests: …`. */
  readonly usage: { readonly cost: string; readonly text: string } | null;
  readonly turn: {
    readonly state: "running" | "waiting";
    readonly place: string;
    readonly startedAt: number;
  } | null;
  readonly mayStop: boolean;
  readonly elsewhere: readonly string[];
}

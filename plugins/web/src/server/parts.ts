import type { Clock, IdSource, Logger } from "@hermes/core";
import type { HttpBindings } from "@hono/node-server";
import type { WebOptions } from "../config.ts";
import type { KeptFiles } from "../storage/kept-files.ts";
import type { WebFile } from "../storage/web-file.ts";
import type { LiveUpdates } from "./live.ts";
import type { Names } from "./names.ts";
import type { PageOverview } from "./overview.ts";
import type { PageSessions } from "./sessions.ts";
import type { EarlierAnswer, WireOutcome, WireTurn } from "./wire/thread.ts";

/** A press on the page. Only Hermes knows whether the choice belongs to the message. */
export interface WebPress {
  readonly threadId: string;
  readonly messageId: string;
  readonly choiceId: string;
}

/** The dependencies of the routes. */
export interface ServerParts {
  readonly file: WebFile;
  /** What was uploaded for a message that is not sent, or that Hermes has not taken in. */
  readonly uploads: KeptFiles;
  /** What the messages of the page show. */
  readonly files: KeptFiles;
  readonly live: LiveUpdates;
  readonly names: Names;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  readonly limits: WebOptions["limits"];
  /** What only the operator may see; null where this plugin may not show it. */
  readonly overview: PageOverview | null;
  /** The sessions that the person may see; null where Hermes shows none. */
  readonly sessions: PageSessions | null;
  readonly history: ThreadHistory;
  /** Called when a thread may hold a message that Hermes has not stored. */
  readonly onMessage: (threadId: string) => void;
  /** Reports a press to Hermes. Resolves once it is stored, refused or out of date. */
  readonly onPress: (press: WebPress) => Promise<void>;
}

/** What Hermes lets be seen of the session of a thread at this moment. */
interface ThreadHistory {
  calls(threadId: string, turnIds: readonly string[]): Promise<readonly WireTurn[]>;
  outcome(threadId: string, turnId: string, callId: string): Promise<WireOutcome | null>;
  earlier(threadId: string, sessionId: string, before: number): Promise<EarlierAnswer | null>;
}

export interface WebEnv {
  Bindings: HttpBindings;
  /** `cookie`: of the browser that is signed in. */
  Variables: { cookie: string };
}

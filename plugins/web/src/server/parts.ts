import type { Clock, Logger } from "@hermes/core";
import type { HttpBindings } from "@hono/node-server";
import type { WebOptions } from "../config.ts";
import type { WebFile } from "../storage/web-file.ts";
import type { LiveUpdates } from "./live.ts";
import type { Names } from "./names.ts";

/** A choice that was pressed on the page. Only Hermes knows whether it is one of that message. */
export interface WebPress {
  readonly threadId: string;
  readonly messageId: string;
  readonly choiceId: string;
}

/** What the routes work with. */
export interface ServerParts {
  readonly file: WebFile;
  readonly live: LiveUpdates;
  readonly names: Names;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: WebOptions["limits"];
  /** There may be a message of the person in the thread that Hermes has not taken. */
  readonly onMessage: (threadId: string) => void;
  /** Tells Hermes of a press. Resolves when it is kept, refused or out of date. */
  readonly onPress: (press: WebPress) => Promise<void>;
}

export interface WebEnv {
  Bindings: HttpBindings;
  /** `cookie`: of the browser that is signed in. */
  Variables: { cookie: string };
}

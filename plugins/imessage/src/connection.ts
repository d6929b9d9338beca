import type { LateReports, PluginDeps, SentLog } from "@hermes/core";
import type { Api } from "./api.ts";
import type { IMessageOptions } from "./config.ts";
import type { Directory } from "./directory.ts";
import type { Liveness } from "./liveness.ts";
import type { Note } from "./sent.ts";

/** What receiving and sending share while the server answers. */
export interface ConnectionParts {
  readonly deps: PluginDeps<IMessageOptions>;
  readonly api: Api;
  readonly directory: Directory;
  /** What Hermes has sent, written down before it is sent: by it Hermes' words are told from the account's owner's. */
  readonly sent: SentLog<Note>;
  readonly reports: LateReports;
  readonly liveness: Liveness;
}

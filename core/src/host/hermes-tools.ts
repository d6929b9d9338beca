import type { Tool } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import type { Concealer, Redactor } from "../base/redact.ts";
import type { Files } from "../files/files.ts";
import { isSecretFile, isWithin } from "../permissions/files.ts";
import type { Store } from "../store/store.ts";
import { workspaceTools } from "../tools/index.ts";
import type { Jobs } from "../tools/shell/jobs.ts";

interface Parts {
  readonly home: string;
  readonly redact: Redactor;
  readonly jobs: Jobs;
  readonly store: Store;
  readonly clock: Clock;
  readonly files: Files;
  readonly concealer: Concealer;
}

/** The tools that Hermes has by itself. */
export function hermesTools({ store: { sessions, transcripts }, home, concealer, ...parts }: Parts): readonly Tool[] {
  return workspaceTools({
    ...parts,
    home,
    holdsSecret: (text) => concealer.conceal(text) !== text,
    isSkipped: (path) => isSecretFile(path, "/") || isWithin(home, path),
    sessions: {
      search: (query) => transcripts.search(query),
      find: (reference, visible) => sessions.find(reference, visible),
      read: (id, range) => transcripts.read(id, range),
    },
  });
}

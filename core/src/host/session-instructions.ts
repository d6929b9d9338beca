import type { Logger } from "../base/logger.ts";
import type { Redactor } from "../base/redact.ts";
import { folderInstructions, type Instructions } from "../config/folder-instructions.ts";
import type { Session } from "../model/session.ts";
import type { ToolPolicy } from "../turn/tool-policy.ts";

/**
 * The instructions of sessions' folders, read anew for each request. What is read, and what is left out, is logged
 * once.
 */
export class SessionInstructions {
  readonly #home: string;
  readonly #policy: Pick<ToolPolicy, "directoryOf">;
  readonly #redact: Redactor;
  readonly #logger: Logger;
  readonly #logged = new Set<string>();

  constructor(home: string, policy: Pick<ToolPolicy, "directoryOf">, redact: Redactor, logger: Logger) {
    this.#home = home;
    this.#policy = policy;
    this.#redact = redact;
    this.#logger = logger;
  }

  of(session: Session): readonly Instructions[] {
    const directory = this.#policy.directoryOf(session);
    if (directory === null) return [];
    const { used, leftOut } = folderInstructions(this.#home, directory);
    for (const { file } of used) this.#log(file, "the instructions of a folder are read");
    for (const { file, why } of leftOut) this.#log(file, `the instructions of a folder are left out: ${why}`);
    return used.map(({ file, text }) => ({ file, text: this.#redact(text) }));
  }

  #log(file: string, what: string): void {
    if (this.#logged.has(`${file} ${what}`)) return;
    this.#logged.add(`${file} ${what}`);
    this.#logger.info({ file }, what);
  }
}

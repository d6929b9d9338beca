import { dirname } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { placeOfConfig } from "../config/content.ts";
import { hashContents, isUnchanged } from "../config/content-hashes.ts";
import { envFileIn } from "../config/env-file.ts";
import { contentsFrom } from "../config/folder-contents.ts";

export interface ConfigWatchDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The config that the gateway runs on; null without one. */
  readonly path: string | null;
  /** It is not, or is again, what the gateway runs on. */
  readonly onChange: () => void;
}

/** Polling interval in milliseconds. */
const EVERY_MS = 60_000;

/**
 * Detects that a gateway's config, a file it imports, or the `.env` beside it changed since the start. The gateway keeps the config it runs on:
 * a change takes effect at the next start.
 */
export class ConfigWatch implements Disposable {
  readonly #deps: ConfigWatchDeps;
  readonly #started: ReturnType<typeof hashContents>;
  #hasChanged = false;
  #timer: Disposable | null = null;

  constructor(deps: ConfigWatchDeps) {
    this.#deps = deps;
    const { path } = deps;
    this.#started = hashContents(contentsFrom(path === null ? [] : [placeOfConfig(path), envFileIn(dirname(path))]));
    this.#lookLater();
  }

  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  #lookLater(): void {
    if (this.#deps.path === null) return;
    this.#timer = this.#deps.clock.setTimer(EVERY_MS, () => {
      this.#look();
      this.#lookLater();
    });
  }

  #look(): void {
    const { logger, path, onChange } = this.#deps;
    const hasChanged = !isUnchanged(this.#started);
    if (hasChanged === this.#hasChanged) return;
    this.#hasChanged = hasChanged;
    if (hasChanged)
      logger.warn({ config: path }, "the config changed; the gateway goes on with what it runs until it is restarted");
    else logger.info({ config: path }, "the config is again what the gateway runs on");
    onChange();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}

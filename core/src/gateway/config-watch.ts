import { dirname } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { regularly } from "../base/regularly.ts";
import { placeOfConfig } from "../config/content.ts";
import { hashContents, isUnchanged } from "../config/content-hashes.ts";
import { envFileIn } from "../config/env-file.ts";
import { contentsFrom } from "../config/folder-contents.ts";

/** Polling interval in milliseconds. */
const EVERY_MS = 60_000;

/**
 * Detects that a gateway's config, a file it imports, or the `.env` beside it changed since the start. The gateway
 * keeps the config it runs on: a change takes effect at the next start.
 */
export class ConfigWatch implements Disposable {
  /** The config that the gateway runs on; null without one. */
  readonly path: string | null;
  readonly #logger: Logger;
  readonly #onChange: () => void;
  readonly #started: ReturnType<typeof hashContents>;
  #hasChanged = false;
  readonly #timer: Disposable | null;

  /** `onChange`: it is not, or is again, what the gateway runs on. */
  constructor(path: string | null, clock: Clock, logger: Logger, onChange: () => void) {
    this.path = path;
    this.#logger = logger;
    this.#onChange = onChange;
    this.#started = hashContents(contentsFrom(path === null ? [] : [placeOfConfig(path), envFileIn(dirname(path))]));
    this.#timer = path === null ? null : regularly(clock, EVERY_MS, () => this.#look());
  }

  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  #look(): void {
    const config = this.path;
    const hasChanged = !isUnchanged(this.#started);
    if (hasChanged === this.#hasChanged) return;
    this.#hasChanged = hasChanged;
    if (hasChanged)
      this.#logger.warn({ config }, "the config changed; the gateway goes on with what it runs until it is restarted");
    else this.#logger.info({ config }, "the config is again what the gateway runs on");
    this.#onChange();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}

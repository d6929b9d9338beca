import type { DependencyContainer } from "tsyringe";
import type { PlatformAdapter } from "../adapter/adapter.ts";
import type { AdapterHealth } from "../adapter/capabilities.ts";
import type { Identities } from "../adapter/identity.ts";
import { backOff } from "../base/back-off.ts";
import { sleep } from "../base/clock.ts";
import { asHermesError, type HermesError, PlatformError } from "../base/errors.ts";
import { REDACTOR } from "../base/redact.ts";
import { CLOCK, LOGGER, RANDOM } from "../base/tokens.ts";
import type { ConfiguredPlugin } from "./configured-plugin.ts";
import type { OperatorOverview } from "./operator-overview.ts";
import { runAsHost } from "./plugin-context.ts";
import { type HostEvents, PluginLife } from "./plugin-life.ts";
import type { VisibleSessions } from "./visible-sessions.ts";

export interface StartPluginOptions {
  /** The callbacks for the adapter, which may call them before it is up. */
  readonly events: HostEvents;
  /** Who is who on the plugin's account. */
  readonly identities: Identities;
  /** What only the operator may see, where the plugin may have it. */
  readonly overview?: OperatorOverview | undefined;
  /** What people of the account may see of their sessions. */
  readonly sessions?: VisibleSessions | undefined;
  /** The adapter receives from now on; another one after each restart. A throw is a failure of this life. */
  onUp?(adapter: PlatformAdapter): void | Promise<void>;
  /** The adapter that was up is about to be stopped; until this resolves it goes on, as well as it can. */
  onDown?(): void | Promise<void>;
  onFailure?(failure: PluginFailure): void;
}

export interface PluginFailure {
  readonly plugin: ConfiguredPlugin;
  readonly error: HermesError;
  /** Milliseconds until the next start. */
  readonly retryInMs: number;
}

/** Supervises one plugin: restarts it when it fails, without affecting others. */
export interface RunningPlugin {
  readonly platform: string;
  readonly account: string | undefined;
  /**
   * The adapter that is up, or null. Any error in its methods, also a later one, counts as a failure of the plugin.
   */
  readonly adapter: PlatformAdapter | null;
  /** Resolves when the first start succeeded or failed. */
  readonly attempted: Promise<void>;
  health(): AdapterHealth;
  /**
   * It failed with what may pass by itself and is about to be started again, or its adapter says that it is down; both
   * for seconds only.
   */
  readonly isRecovering: boolean;
  /** Restarts it at once. */
  restart(): void;
  /** Ends it for good. Resolves when all of its clean-up is done. */
  stop(): Promise<void>;
}

const RETRY = { firstMs: 1_000, lastMs: 5 * 60_000 };

/** A plugin is waited for while it fails no more often than this in a row: after 1, 2, 4 and 8 s it is started again. */
const MOST_QUICK_RETRIES = 4;

/** A start that takes longer says so in the health, in milliseconds. */
const STARTED_WITHIN_MS = 5_000;

/** An adapter that is up and says that it is down is waited for as long, in milliseconds: it connects again by itself. */
const RECONNECTS_WITHIN_MS = 15_000;

/**
 * Starts a plugin and restarts it whenever it fails, with a back-off from 1 s to 5 minutes. Restarts at once if working
 * credentials were rejected: a start may use others, such as a password or a renewed token. Reports errors to
 * `onFailure`; never throws.
 */
export function startPlugin(
  plugin: ConfiguredPlugin,
  host: DependencyContainer,
  options: StartPluginOptions,
): RunningPlugin {
  // Whatever a plugin sets going by starting another is not its own.
  return runAsHost(() => new KeptPlugin(plugin, host, options));
}

class KeptPlugin implements RunningPlugin {
  readonly #plugin: ConfiguredPlugin;
  readonly #host: DependencyContainer;
  readonly #options: StartPluginOptions;
  readonly #stopping = new AbortController();
  readonly #attempted = Promise.withResolvers<void>();
  readonly #ended: Promise<void>;
  /** Ends the current life, or the back-off before the next one. */
  #anew = Promise.withResolvers<null>();
  #skipWait = new AbortController();
  #life: PluginLife | null = null;
  #adapter: PlatformAdapter | null = null;
  /** The one that is loaded and not up yet, and when its life began. */
  #starting: PlatformAdapter | null = null;
  #startedAt = 0;
  #waiting: PluginFailure | null = null;
  #failures = 0;
  /** When its adapter was first seen down; null while it is up. */
  #downSince: number | null = null;

  constructor(plugin: ConfiguredPlugin, host: DependencyContainer, options: StartPluginOptions) {
    this.#plugin = plugin;
    this.#host = host;
    this.#options = options;
    this.#ended = this.#keep();
  }

  get platform(): string {
    return this.#plugin.descriptor.platform;
  }

  get account(): string | undefined {
    return this.#plugin.options.account;
  }

  get adapter(): PlatformAdapter | null {
    return this.#adapter;
  }

  get isRecovering(): boolean {
    if (this.#waiting === null) {
      return this.#downSince !== null && this.#host.resolve(CLOCK).now() - this.#downSince < RECONNECTS_WITHIN_MS;
    }
    const { error } = this.#waiting;
    return error instanceof PlatformError && error.retryable && this.#failures <= MOST_QUICK_RETRIES;
  }

  get attempted(): Promise<void> {
    return this.#attempted.promise;
  }

  health(): AdapterHealth {
    const health = this.#health();
    const isAdapterDown = this.#waiting === null && health.state === "down";
    this.#downSince = isAdapterDown ? (this.#downSince ?? this.#host.resolve(CLOCK).now()) : null;
    // It is stored with the heartbeat and shown, and a library's error may quote an address with a token in it.
    return health.detail === undefined ? health : { ...health, detail: this.#host.resolve(REDACTOR)(health.detail) };
  }

  #health(): AdapterHealth {
    if (this.#waiting) {
      const { error, retryInMs } = this.#waiting;
      return { state: "down", detail: `${error.message} It is started again within ${Math.ceil(retryInMs / 1000)} s.` };
    }
    try {
      return this.#adapter?.health() ?? this.#healthOfStart();
    } catch (error) {
      return { state: "degraded", detail: asHermesError(error).message };
    }
  }

  /**
   * Nobody reads out of a bare “starting” that something is amiss: what the adapter says of it, or for how long it is
   * so.
   */
  #healthOfStart(): AdapterHealth {
    const forMs = this.#host.resolve(CLOCK).now() - this.#startedAt;
    if (forMs < STARTED_WITHIN_MS) return { state: "starting" };
    const { state, detail } = this.#starting?.health() ?? { state: "starting" };
    const own = state === "up" ? undefined : detail;
    return { state: "starting", detail: own ?? `It has been starting for ${Math.round(forMs / 1000)} s.` };
  }

  restart(): void {
    this.#failures = 0;
    // An adapter that is up keeps running until its service has released it.
    if (this.#adapter === null) this.#life?.abort();
    this.#anew.resolve(null);
    this.#skipWait.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.restart();
    await this.#ended;
  }

  async #keep(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#anew = Promise.withResolvers();
      this.#skipWait = new AbortController();
      this.#life = new PluginLife(this.#plugin, this.#host, this.#options);
      const { error, wasUp } = await this.#live(this.#life);
      this.#attempted.resolve();
      if (error && !this.#stopping.signal.aborted) await this.#wait(error, wasUp);
    }
    this.#attempted.resolve();
  }

  /** One life, from load to end. Returns what it failed with, null when it was to end; and whether it was up before. */
  async #live(life: PluginLife): Promise<{ readonly error: HermesError | null; readonly wasUp: boolean }> {
    const clock = this.#host.resolve(CLOCK);
    this.#startedAt = clock.now();
    let upAt: number | null = null;
    let up: Promise<void> | null = null;
    const run = async (): Promise<HermesError | null> => {
      const adapter = await life.load();
      this.#starting = adapter;
      await life.start(this.#options.events);
      this.#adapter = adapter;
      upAt = clock.now();
      up = (async () => this.#options.onUp?.(adapter))();
      await up;
      this.#attempted.resolve();
      return await life.failure;
    };

    const error = await Promise.race([run(), life.failure, this.#anew.promise]).catch(asHermesError);
    // It ran longer than the longest back-off, so start counting failures anew.
    if (upAt !== null && clock.now() - upAt >= RETRY.lastMs) this.#failures = 0;
    await this.#end(life, up);
    return { error, wasUp: upAt !== null };
  }

  /** `up` is what `onUp` does, where it came to that: it is waited for, so that `onDown` always comes after it. */
  async #end(life: PluginLife, up: Promise<void> | null): Promise<void> {
    const logger = this.#host.resolve(LOGGER);
    const plugin = this.#plugin.descriptor.package;
    if (up) {
      await up.catch(() => {});
      await (async () => this.#options.onDown?.())().catch((error: unknown) => {
        logger.error({ plugin, error }, "a plugin's account could not be let go of in order");
      });
    }
    this.#adapter = null;
    this.#starting = null;
    for (const error of await life.end()) logger.warn({ plugin, error }, "a plugin did not end cleanly");
  }

  async #wait(error: HermesError, wasUp: boolean): Promise<void> {
    const retryInMs = this.#nextRetryMs(error, wasUp);
    this.#waiting = { plugin: this.#plugin, error, retryInMs };
    const fields = { plugin: this.#plugin.descriptor.package, error, retryInMs };
    this.#host.resolve(LOGGER).error(fields, "a plugin failed");
    this.#options.onFailure?.(this.#waiting);
    if (retryInMs > 0) await sleep(this.#host.resolve(CLOCK), retryInMs, this.#skipWait.signal);
    this.#waiting = null;
  }

  #nextRetryMs(error: HermesError, wasUp: boolean): number {
    // Once: a platform that says no at the start, too, is left alone for as long as any other.
    if (error.code === "PLATFORM_UNAUTHORISED" && wasUp && this.#failures++ === 0) return 0;
    // Up to a fifth earlier, so that several do not come back in step.
    const jittered = Math.round(backOff(++this.#failures, RETRY) * (1 - this.#host.resolve(RANDOM)() / 5));
    if (!(error instanceof PlatformError)) return jittered;
    // A platform that says no says it again: knocking every second would get the account locked.
    return error.retryable ? Math.max(jittered, error.retryAfterMs ?? 0) : RETRY.lastMs;
  }
}

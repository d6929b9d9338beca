import type { DependencyContainer } from "tsyringe";
import { type AdapterEvents, PlatformAdapter } from "../adapter/adapter.ts";
import { NO_HISTORY } from "../adapter/session-history.ts";
import type { Clock } from "../base/clock.ts";
import { untilAborted, withDeadline } from "../base/deadline.ts";
import { HermesError, reasonOf } from "../base/errors.ts";
import { SECRETS } from "../base/known-secrets.ts";
import type { Logger } from "../base/logger.ts";
import { REDACTOR } from "../base/redact.ts";
import { CLOCK, HOME, ID_SOURCE, LOGGER } from "../base/tokens.ts";
import { logFileOf } from "../log/file-logger.ts";
import type { ConfiguredPlugin } from "./configured-plugin.ts";
import { PLATFORM_COMMANDS, type PluginDeps, type PluginDescriptor } from "./descriptor.ts";
import { asHosts, asOwned, type ErrorOwner, runAs, runAsHost } from "./plugin-context.ts";
import { pluginFolder } from "./plugin-folder.ts";
import { createPluginScope, type OwnedPluginScope } from "./plugin-scope.ts";

/** Timeouts in milliseconds for loading and starting a plugin, and for stopping it. */
const READY_WITHIN_MS = 30_000;
const STOPPED_WITHIN_MS = 10_000;

/** The events of an adapter that the host handles; failures are handled here. */
export type HostEvents = Omit<AdapterEvents, "fail">;

type Phase = "was loaded" | "started" | "was running" | "stopped";

/** What of the host's a plugin may ask. */
type Asked = Pick<PluginDeps, "identities" | "overview" | "sessions">;

/** One life of a plugin, from its import to its end. A restart is another life. */
export class PluginLife {
  readonly #plugin: ConfiguredPlugin;
  readonly #host: DependencyContainer;
  readonly #asked: Asked;
  readonly #clock: Clock;
  readonly #home: string;
  readonly #logger: Logger;
  readonly #failure = Promise.withResolvers<HermesError>();
  readonly #owner: ErrorOwner;
  readonly #scope: OwnedPluginScope;
  #adapter: PlatformAdapter | null = null;

  constructor(plugin: ConfiguredPlugin, host: DependencyContainer, { identities, overview, sessions }: Asked) {
    this.#plugin = plugin;
    this.#host = host;
    this.#asked = { identities, overview, sessions };
    this.#clock = host.resolve(CLOCK);
    this.#home = host.resolve(HOME);
    this.#logger = host.resolve(LOGGER).child({ plugin: plugin.descriptor.package });
    const uncaught = new UncaughtLog(this.#clock, this.#logger);
    this.#owner = {
      fail: (error) => {
        uncaught.log(error);
        this.#fail(error);
      },
      // Its library may print the token that it was given.
      print: (text) => this.#logger.warn({ printed: text.trimEnd() }, "the plugin printed something"),
    };
    this.#scope = createPluginScope(this.#clock, this.#owner.fail);
  }

  /** Resolves with the first failure after the start; never, when there is none. */
  get failure(): Promise<HermesError> {
    return this.#failure.promise;
  }

  /** Imports the plugin and makes its adapter. */
  async load(): Promise<PlatformAdapter> {
    const { signal } = this.#scope;
    const build = async () => {
      const made = await createAdapter(this.#plugin.descriptor, this.#deps());
      // It came too late to be waited for, and nobody else would stop it.
      if (signal.aborted) await made.stop();
      return made;
    };
    const built = await this.#within(READY_WITHIN_MS, "was loaded", build, signal);
    signal.throwIfAborted();
    this.#adapter = built;
    return asOwned(built, this.#owner);
  }

  /** Starts the adapter that was loaded. */
  async start(events: HostEvents): Promise<void> {
    const { signal } = this.#scope;
    const hosted: AdapterEvents = {
      ...asHosts(events, "receive", "settle", "moved", "retracted", "choose"),
      fail: (error) => this.#fail(error),
      holdsAccount: () => runAsHost(async () => (await events.holdsAccount?.()) ?? true),
      history: asHosts(events.history ?? NO_HISTORY, "calls", "outcome", "earlier"),
    };
    await this.#within(READY_WITHIN_MS, "started", () => this.#adapter?.start(hosted, signal), signal);
    signal.throwIfAborted();
  }

  /** Abandons a load or a start in progress; its result is ignored. */
  abort(): void {
    this.#scope.abort();
  }

  /** Stops the adapter and runs all clean-up. Returns the errors; never throws and never hangs. */
  async end(): Promise<HermesError[]> {
    const errors: HermesError[] = [];
    const attempt = async (run: () => Promise<unknown[]>) => {
      const thrown = await this.#within(STOPPED_WITHIN_MS, "stopped", run).catch((error: unknown) => [error]);
      errors.push(...thrown.map((error) => this.#failed("stopped", error)));
    };
    // Its signal first, so that what waits lets go; then the adapter, while what it uses is still there.
    this.#scope.abort();
    await attempt(async () => {
      await this.#adapter?.stop();
      return [];
    });
    await attempt(() => this.#scope.dispose());
    return errors;
  }

  #deps(): PluginDeps {
    const { descriptor, options } = this.#plugin;
    const { identities, overview, sessions } = this.#asked;
    const host = this.#host;
    return {
      options,
      clock: this.#clock,
      ids: host.resolve(ID_SOURCE),
      logger: this.#logger,
      scope: this.#scope,
      folder: pluginFolder(this.#home, descriptor.platform, options.account),
      redact: host.resolve(REDACTOR),
      noteSecret: (secret) => void host.resolve(SECRETS).add(secret),
      commands: host.isRegistered(PLATFORM_COMMANDS, true) ? host.resolve(PLATFORM_COMMANDS) : [],
      identities: asHosts(identities, "note", "link", "person", "holder", "isLinked", "meet", "adopt", "part"),
      // What the plugin does when a `watch` calls it is its own.
      overview: overview && {
        ...asHosts(overview, "isFor", "read", "act"),
        watch: (listener) => overview.watch(listener),
      },
      sessions: sessions && {
        ...asHosts(sessions, "list", "search", "here"),
        watch: (listener) => sessions.watch(listener),
      },
    };
  }

  /** Runs a step of the plugin in its error context, with a timeout, or until `signal` aborts. */
  #within<T>(ms: number, phase: Phase, run: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    const work = untilAborted(
      runAs(this.#owner, async () => run()),
      signal,
    );
    const late = () => {
      const fields = { package: this.#plugin.descriptor.package, seconds: ms / 1000, log: logFileOf(this.#home) };
      return new HermesError("PLUGIN_NOT_READY", fields);
    };
    return withDeadline(this.#clock, ms, work, late).catch((error: unknown) => {
      throw this.#failed(phase, error);
    });
  }

  #fail(error: unknown): void {
    this.#failure.resolve(this.#failed("was running", error));
  }

  #failed(phase: Phase, error: unknown): HermesError {
    if (error instanceof HermesError) return error;
    const { package: name } = this.#plugin.descriptor;
    const fields = { package: name, phase, reason: reasonOf(error), log: logFileOf(this.#home) };
    return new HermesError("PLUGIN_FAILED", fields, { cause: error });
  }
}

/** Minimum interval between log lines about uncaught plugin errors, in milliseconds. */
const UNCAUGHT_EVERY_MS = 60_000;

/** Logs the errors that a plugin did not catch: the first at once, and how many followed once a minute. */
class UncaughtLog {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #lastAt: number | null = null;
  #unsaid = 0;

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  log(error: unknown): void {
    const now = this.#clock.now();
    if (this.#lastAt !== null && now - this.#lastAt < UNCAUGHT_EVERY_MS) {
      this.#unsaid++;
      return;
    }
    const before = this.#unsaid === 0 ? {} : { moreBefore: this.#unsaid };
    this.#logger.error({ error, ...before }, "an error that the plugin did not catch");
    this.#lastAt = now;
    this.#unsaid = 0;
  }
}

/** Throws PLUGIN_INVALID if `create` returned no adapter, or one for another platform. */
async function createAdapter(descriptor: PluginDescriptor, deps: PluginDeps): Promise<PlatformAdapter> {
  const { package: name, platform } = descriptor;
  const invalid = (reason: string) => new HermesError("PLUGIN_INVALID", { package: name, reason });
  if (typeof descriptor.create !== "function") throw invalid("it has no function `create` that makes its adapter");
  const adapter: unknown = await descriptor.create(deps);
  if (!(adapter instanceof PlatformAdapter)) throw invalid("what it creates is no PlatformAdapter");
  if (adapter.platform !== platform) throw invalid(`its adapter is for ${adapter.platform}, not for ${platform}`);
  return adapter;
}

import type { DependencyContainer } from "tsyringe";
import { type AdapterEvents, PlatformAdapter } from "../adapter/adapter.ts";
import type { Identities } from "../adapter/identity.ts";
import { NO_HISTORY, type SessionHistory } from "../adapter/session-history.ts";
import type { Clock } from "../base/clock.ts";
import { untilAborted, withDeadline } from "../base/deadline.ts";
import { HermesError, reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { REDACTOR } from "../base/redact.ts";
import { CLOCK, HOME, ID_SOURCE, LOGGER } from "../base/tokens.ts";
import { logFileOf } from "../log/file-logger.ts";
import type { ConfiguredPlugin } from "./configured-plugin.ts";
import { PLATFORM_COMMANDS, type PluginDeps, type PluginDescriptor } from "./descriptor.ts";
import type { OperatorOverview } from "./operator-overview.ts";
import { asOwned, type ErrorOwner, runAs, runAsHost } from "./plugin-context.ts";
import { pluginFolder } from "./plugin-folder.ts";
import { createPluginScope } from "./plugin-scope.ts";
import type { VisibleSessions } from "./visible-sessions.ts";

/** Timeouts in milliseconds for loading and starting a plugin, and for stopping it. */
const READY_WITHIN_MS = 30_000;
const STOPPED_WITHIN_MS = 10_000;

/** The events of an adapter that the host handles; failures are handled here. */
export type HostEvents = Omit<AdapterEvents, "fail">;

type Phase = "was loaded" | "started" | "was running" | "stopped";

/** One life of a plugin, from its import to its end. A restart is another life. */
export interface PluginLife {
  /** Imports the plugin and makes its adapter. */
  load(): Promise<PlatformAdapter>;
  /** Starts the adapter that was loaded. */
  start(events: HostEvents): Promise<void>;
  /** Resolves with the first failure after the start; never, when there is none. */
  readonly failure: Promise<HermesError>;
  /** Abandons a load or a start in progress; its result is ignored. */
  abort(): void;
  /** Stops the adapter and runs all clean-up. Returns the errors; never throws and never hangs. */
  end(): Promise<HermesError[]>;
}

/** Prepares one life of a plugin. */
export function createPluginLife(
  plugin: ConfiguredPlugin,
  host: DependencyContainer,
  { identities, overview, sessions }: Pick<PluginDeps, "identities" | "overview" | "sessions">,
): PluginLife {
  const { descriptor, options } = plugin;
  const clock = host.resolve(CLOCK);
  const home = host.resolve(HOME);
  const failure = Promise.withResolvers<HermesError>();

  const failed = (phase: Phase, error: unknown): HermesError => {
    if (error instanceof HermesError) return error;
    const fields = { package: descriptor.package, phase, reason: reasonOf(error), log: logFileOf(home) };
    return new HermesError("PLUGIN_FAILED", fields, { cause: error });
  };
  const logger = host.resolve(LOGGER).child({ plugin: descriptor.package });
  const uncaught = new UncaughtLog(clock, logger);
  const owner: ErrorOwner = {
    fail(error) {
      uncaught.log(error);
      failure.resolve(failed("was running", error));
    },
  };
  const scope = createPluginScope(clock, owner.fail);

  /** Runs a step of the plugin in its error context, with a timeout, or until `signal` aborts. */
  const within = <T>(ms: number, phase: Phase, run: () => T | Promise<T>, signal?: AbortSignal): Promise<T> => {
    const work = untilAborted(
      runAs(owner, async () => run()),
      signal,
    );
    const late = () => {
      const fields = { package: descriptor.package, seconds: ms / 1000, log: logFileOf(home) };
      return new HermesError("PLUGIN_NOT_READY", fields);
    };
    return withDeadline(clock, ms, work, late).catch((error: unknown) => {
      throw failed(phase, error);
    });
  };

  let adapter: PlatformAdapter | null = null;

  return {
    failure: failure.promise,
    abort: () => scope.abort(),
    async load() {
      const build = async () => {
        const deps: PluginDeps = {
          options,
          clock,
          ids: host.resolve(ID_SOURCE),
          logger,
          scope,
          folder: pluginFolder(home, descriptor.platform, options.account),
          redact: host.resolve(REDACTOR),
          commands: host.isRegistered(PLATFORM_COMMANDS, true) ? host.resolve(PLATFORM_COMMANDS) : [],
          identities: hosted(identities),
          overview: overview && hostedOverview(overview),
          sessions: sessions && hostedSessions(sessions),
        };
        const made = await createAdapter(descriptor, deps);
        // It came too late to be waited for, and nobody else would stop it.
        if (scope.signal.aborted) await made.stop();
        return made;
      };
      const built = await within(READY_WITHIN_MS, "was loaded", build, scope.signal);
      scope.signal.throwIfAborted();
      adapter = built;
      return asOwned(built, owner);
    },
    async start(events) {
      const hosted: AdapterEvents = {
        receive: (message) => runAsHost(() => events.receive(message)),
        settle: (...word) => runAsHost(() => events.settle(...word)),
        moved: (from, to) => runAsHost(() => events.moved(from, to)),
        retracted: (...word) => runAsHost(() => events.retracted(...word)),
        choose: (press) => runAsHost(() => events.choose(press)),
        fail: (error) => failure.resolve(failed("was running", error)),
        holdsAccount: () => runAsHost(async () => (await events.holdsAccount?.()) ?? true),
        history: hostedHistory(events.history ?? NO_HISTORY),
      };
      await within(READY_WITHIN_MS, "started", () => adapter?.start(hosted, scope.signal), scope.signal);
      scope.signal.throwIfAborted();
    },
    async end() {
      const errors: HermesError[] = [];
      const attempt = async (run: () => Promise<unknown[]>) => {
        const thrown = await within(STOPPED_WITHIN_MS, "stopped", run).catch((error: unknown) => [error]);
        errors.push(...thrown.map((error) => failed("stopped", error)));
      };
      // Its signal first, so that what waits lets go; then the adapter, while what it uses is still there.
      scope.abort();
      await attempt(async () => {
        await adapter?.stop();
        return [];
      });
      await attempt(() => scope.dispose());
      return errors;
    },
  };
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

/** What goes wrong in the store while a plugin asks it is not the plugin's fault. */
function hosted(identities: Identities): Identities {
  return {
    note: (ids, keys) => runAsHost(() => identities.note(ids, keys)),
    link: (from, to) => runAsHost(() => identities.link(from, to)),
    person: (key) => runAsHost(() => identities.person(key)),
    holder: (id) => runAsHost(() => identities.holder(id)),
    isLinked: (id) => runAsHost(() => identities.isLinked(id)),
    meet: (id) => runAsHost(() => identities.meet(id)),
    adopt: (people) => runAsHost(() => identities.adopt(people)),
  };
}

function hostedOverview(overview: OperatorOverview): OperatorOverview {
  return {
    isFor: (visitor) => runAsHost(() => overview.isFor(visitor)),
    read: (visitor, query) => runAsHost(() => overview.read(visitor, query)),
    act: (visitor, action) => runAsHost(() => overview.act(visitor, action)),
    // What the plugin does when it is called is its own.
    watch: (listener) => overview.watch(listener),
  };
}

function hostedSessions(sessions: VisibleSessions): VisibleSessions {
  return {
    list: (visitor, query) => runAsHost(() => sessions.list(visitor, query)),
    search: (visitor, query) => runAsHost(() => sessions.search(visitor, query)),
    here: (visitor) => runAsHost(() => sessions.here(visitor)),
    watch: (listener) => sessions.watch(listener),
  };
}

function hostedHistory(history: SessionHistory): SessionHistory {
  return {
    calls: (...asked) => runAsHost(() => history.calls(...asked)),
    outcome: (...asked) => runAsHost(() => history.outcome(...asked)),
    earlier: (...asked) => runAsHost(() => history.earlier(...asked)),
  };
}

import type { DependencyContainer } from "tsyringe";
import type { AdapterEvents, PlatformAdapter } from "../adapter/adapter.ts";
import type { Identities } from "../adapter/identity.ts";
import { untilAborted, withDeadline } from "../base/deadline.ts";
import { HermesError, reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { CLOCK, HOME, ID_SOURCE, LOGGER } from "../base/tokens.ts";
import { logFileOf } from "../log/file-logger.ts";
import { buildAdapter, depsFrom } from "./build-adapter.ts";
import type { ConfiguredPlugin } from "./configured-plugin.ts";
import {
  IDENTITIES,
  PLATFORM_COMMANDS,
  PLUGIN_FOLDER,
  PLUGIN_OPTIONS,
  PLUGIN_SCOPE,
  type PluginScope,
} from "./descriptor.ts";
import { asOwned, type ErrorOwner, runAs, runAsHost } from "./plugin-context.ts";
import { pluginFolder } from "./plugin-folder.ts";
import { createPluginScope } from "./plugin-scope.ts";

/** How long a plugin has to load and to start, and to stop, in milliseconds. */
const READY_WITHIN_MS = 30_000;
const STOPPED_WITHIN_MS = 10_000;

/** What the host hears of an adapter; that it fails is heard here. */
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
  /** Lets go of a load or a start that is going on: neither comes to anything any more. */
  abort(): void;
  /** Stops the adapter and undoes everything. Returns what went wrong; does not throw, and does not hang. */
  end(): Promise<HermesError[]>;
}

/** Prepares one life of a plugin, in a container of its own below the host's. */
export function createPluginLife(
  plugin: ConfiguredPlugin,
  host: DependencyContainer,
  identities: Identities,
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
  const owner: ErrorOwner = {
    fail(error) {
      logger.error({ error }, "an error that the plugin did not catch");
      failure.resolve(failed("was running", error));
    },
  };
  const scope = createPluginScope(clock, owner.fail);

  /** Runs a step of the plugin's as its own, and waits for it only so long, or until `signal` aborts. */
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

  const container = surroundings(plugin, host, { logger, scope, identities });
  let adapter: PlatformAdapter | null = null;

  return {
    failure: failure.promise,
    abort: () => scope.abort(),
    async load() {
      const build = async () => {
        container.registerInstance(PLUGIN_FOLDER, pluginFolder(home, descriptor.platform, options.account));
        // Before it is loaded: what comes too late finds nothing there any more.
        const deps = depsFrom(container);
        const made = await buildAdapter(await descriptor.load(), descriptor, container, deps);
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
        fail: (error) => failure.resolve(failed("was running", error)),
        holdsAccount: () => runAsHost(async () => (await events.holdsAccount?.()) ?? true),
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
      await container.dispose();
      return errors;
    },
  };
}

/**
 * What a plugin gets, in a container below the host's. As instances: a child that made one of the host's would dispose
 * of it with itself.
 */
function surroundings(
  { options }: ConfiguredPlugin,
  host: DependencyContainer,
  {
    logger,
    scope,
    identities,
  }: { readonly logger: Logger; readonly scope: PluginScope; readonly identities: Identities },
): DependencyContainer {
  const container = host.createChildContainer();
  const commands = host.isRegistered(PLATFORM_COMMANDS, true) ? host.resolve(PLATFORM_COMMANDS) : [];
  container.registerInstance(CLOCK, host.resolve(CLOCK));
  container.registerInstance(ID_SOURCE, host.resolve(ID_SOURCE));
  container.registerInstance(LOGGER, logger);
  container.registerInstance(PLATFORM_COMMANDS, commands);
  container.registerInstance(PLUGIN_SCOPE, scope);
  container.registerInstance(PLUGIN_OPTIONS, options);
  container.registerInstance(IDENTITIES, hosted(identities));
  return container;
}

/** What goes wrong in the store while a plugin asks it is not the plugin's fault. */
function hosted(identities: Identities): Identities {
  return {
    note: (ids, keys) => runAsHost(() => identities.note(ids, keys)),
    link: (from, to) => runAsHost(() => identities.link(from, to)),
    person: (key) => runAsHost(() => identities.person(key)),
    holder: (id) => runAsHost(() => identities.holder(id)),
    meet: (id) => runAsHost(() => identities.meet(id)),
    adopt: (people) => runAsHost(() => identities.adopt(people)),
  };
}

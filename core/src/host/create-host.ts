import { container as rootContainer } from "tsyringe";
import { AGENT, TOOLS } from "../agent/agent.ts";
import { createModelCatalogue, MODEL_CATALOGUE } from "../agent/model-catalogue.ts";
import { createModelChoice, MODEL_CHOICE } from "../agent/model-choice.ts";
import { ModelHealth } from "../agent/model-health.ts";
import { systemClock } from "../base/clock.ts";
import { randomIds } from "../base/ids.ts";
import { SECRETS } from "../base/known-secrets.ts";
import { systemProcessProbe, thisProcess } from "../base/process-identity.ts";
import { useProxy } from "../base/proxy/use-proxy.ts";
import { CONCEALER, createConcealer, createRedactor, REDACTOR } from "../base/redact.ts";
import { createRowRedaction } from "../base/row-redaction.ts";
import { CLOCK, HOLDER, HOME, ID_SOURCE, LOGGER, PROCESS_PROBE, RANDOM, type Token } from "../base/tokens.ts";
import { CONFIG } from "../config/config.ts";
import { loadConfig, loadConfigOrDefaults } from "../config/load-config.ts";
import { secretsOfConfig } from "../config/secrets-of-config.ts";
import { FileStore } from "../files/file-store.ts";
import { FILES } from "../files/files.ts";
import { createFileLogger, logFileOf } from "../log/file-logger.ts";
import type { Session, SessionId } from "../model/session.ts";
import { redactingStore } from "../store/redacting-store.ts";
import { STORE } from "../store/store.ts";
import { JOBS, Jobs } from "../tools/shell/jobs.ts";
import { TOOL_POLICY } from "../turn/tool-policy.ts";
import { LIMITS } from "../turn/turn-limits.ts";
import { TURN_RUNNER } from "../turn/turn-runner.ts";
import { hermesHome, prepareHome } from "./home.ts";
import type { Host, HostOptions } from "./host.ts";
import { openStore } from "./open-store.ts";

/**
 * Creates the parts of a process: home, config, log, store, agent. Throws a HermesError about the home, the config or the
 * store. Disposing of the host closes what was opened here, in reverse order.
 */
export async function createHost(options: HostOptions): Promise<Host> {
  const { environment = process.env, workingDirectory = process.cwd() } = options;
  const home = hermesHome(environment);
  prepareHome(home);

  const container = rootContainer.createChildContainer();
  const undo: (() => void | Promise<void>)[] = [];
  const dispose = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  // A part that the caller registered is used; only missing ones are created, so that nothing is opened needlessly.
  const provide = async <T>(token: Token<T>, make: () => T | Promise<T>): Promise<T> => {
    if (!container.isRegistered(token)) container.registerInstance(token, await make());
    return container.resolve(token);
  };

  try {
    options.override?.(container);
    await provide(HOME, () => home);
    await provide(RANDOM, () => Math.random);
    const clock = await provide(CLOCK, () => systemClock);
    const ids = await provide(ID_SOURCE, () => randomIds);
    const probe = await provide(PROCESS_PROBE, () => systemProcessProbe);
    const holder = await provide(HOLDER, () => thisProcess(ids.next("prc"), options.role));

    const { configPath, confirmChange } = options;
    const throughProxy = (variables: NodeJS.ProcessEnv) => void undo.push(useProxy(variables));
    throughProxy(environment);
    const request = { configPath, environment, workingDirectory, home, confirmChange, onVariables: throughProxy };
    const config = await provide(CONFIG, () =>
      options.needsConfig === false ? loadConfigOrDefaults(request) : loadConfig(request),
    );
    const known = { ...config.variables, ...environment };
    const secrets = await provide(SECRETS, () => new Set(secretsOfConfig(config, environment)));
    const redact = await provide(REDACTOR, () => createRedactor(secrets));
    const concealer = await provide(CONCEALER, () => createConcealer(secrets));
    const logger = await provide(LOGGER, () => {
      const fields = { role: options.role };
      const file = createFileLogger({ file: logFileOf(home), level: config.log.level, redact, fields });
      undo.push(() => file[Symbol.dispose]());
      return file;
    });
    for (const warning of config.warnings) logger.warn({ code: warning.code }, warning.message);
    for (const { package: plugin, error } of config.brokenPlugins) {
      logger.error({ plugin, error }, "a plugin cannot be used");
    }

    // Opened only when all secrets are known: those of the environment, the config and its plugins' options.
    const redaction = createRowRedaction(secrets);
    if (container.isRegistered(STORE)) {
      container.registerInstance(STORE, redactingStore(container.resolve(STORE), redaction));
    }
    const store = await provide(STORE, async () => {
      const opened = await openStore(home, { clock, ids, probe, durability: config.store.durability, redaction });
      undo.push(() => opened.close());
      return opened;
    });
    const files = await provide(FILES, () => new FileStore(home, clock));
    const jobs = await provide(JOBS, () => {
      const has = async (id: SessionId) => (await store.sessions.get(id)) !== null;
      const jobs = new Jobs(home, clock, concealer, { has, watch: (listener) => store.watch(listener) });
      undo.push(() => jobs[Symbol.asyncDispose]());
      return jobs;
    });
    // Loaded for the first turn: most commands run none.
    const tools = once(async () => {
      if (container.isRegistered(TOOLS)) return container.resolve(TOOLS);
      const { hermesTools } = await import("./hermes-tools.ts");
      const own = hermesTools({ home, redact, jobs, store, clock, files, concealer });
      const { toolPlugins = [] } = config;
      if (toolPlugins.length === 0) return own;
      const { withPluginTools } = await import("./plugin-tools.ts");
      return withPluginTools(own, toolPlugins, { home, clock, logger });
    });
    const policy = await provide(TOOL_POLICY, async () => {
      const { ConfigToolPolicy } = await import("./tool-policy.ts");
      const { text } = redaction;
      return new ConfigToolPolicy({ home, config, configPath, environment, tools, store, logger, redact: text });
    });
    await provide(LIMITS, () => config.limits);
    const catalogue = await provide(MODEL_CATALOGUE, () => createModelCatalogue(config.models.known));
    await provide(MODEL_CHOICE, () => {
      const { providers, model, models } = config;
      const others = [...models.fallback, ...Object.keys(models.known)];
      return createModelChoice(model, others, { providers, environment: known }, { catalogue, clock });
    });
    const agent = await provide(AGENT, async () => {
      const { createAgent } = await import("../agent/create-agent.ts");
      const { SessionInstructions } = await import("./session-instructions.ts");
      const ofFolders = new SessionInstructions(home, policy, redact, logger);
      const ofFolder = { folderInstructions: (session: Session) => ofFolders.of(session) };
      return createAgent({
        config,
        environment: known,
        clock,
        catalogue,
        files,
        health: new ModelHealth(home, clock),
        ...ofFolder,
      });
    });
    const runner = await provide(TURN_RUNNER, () => {
      const load = once(async () => {
        // Not registered as container-scoped: a container created before this import would share its runner with others.
        const { LeasedTurns } = await import("../turn/leased-turns.ts");
        return container.resolve(LeasedTurns);
      });
      return {
        run: async (request) => (await load()).run(request),
        resume: async (request) => (await load()).resume(request),
        compact: async (request) => (await load()).compact(request),
      };
    });

    const parts = { home, config, store, files, clock, ids, probe, logger, holder, redact, agent, runner };
    return { ...parts, container, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Calls `make` the first time only. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

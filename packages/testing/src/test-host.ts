import { join } from "node:path";
import type { Clock } from "@hermes/core";
import type { Agent, Holder, Host, HostOptions, LoadedConfig } from "@hermes/core/embed";
import type { BrokenPlugin, ConfiguredPlugin } from "@hermes/core/internal";

export interface TestProcess {
  readonly role: Holder["role"];
  /** The process' number on its machine. */
  readonly number: number;
  /** Hermes' home. */
  readonly folder: string;
  readonly clock: Clock;
  readonly agent: Agent;
  readonly plugin: ConfiguredPlugin;
  readonly brokenPlugins?: readonly BrokenPlugin[];
  /** The ids of processes that have ended. */
  readonly gone: ReadonlySet<string>;
  readonly logLevel: LoadedConfig["log"]["level"];
  /** Where sessions of platforms have tools; without it they have none. */
  readonly toolsDirectory?: string;
  /** What the config says of models. */
  readonly models?: LoadedConfig["models"];
  /** Registers parts that replace Hermes' own. */
  readonly override?: HostOptions["override"];
}

/** Creates the host of a simulated process, with one plugin. */
export async function createTestHost(process: TestProcess): Promise<Host> {
  // Imported lazily, since most users of this package do not need it.
  const { AGENT, CLOCK, CONFIG, createHost, HOLDER, PROCESS_PROBE } = await import("@hermes/core/embed");
  const {
    role,
    number,
    folder,
    clock,
    agent,
    plugin,
    brokenPlugins = [],
    gone,
    logLevel,
    toolsDirectory,
    models = { fallback: [], known: {} },
    override,
  } = process;
  const holder: Holder = { id: `prc_${number}`, host: "here", pid: number, pidStart: "1", role };
  const config: LoadedConfig = {
    path: join(folder, "hermes.config.ts"),
    folder,
    model: null,
    models,
    modelTimeouts: { firstByteSeconds: 60, idleSeconds: 60 },
    providers: {},
    permissions: { allow: [], ask: [], deny: [] },
    tools: { directory: toolsDirectory ?? null, answerWithinHours: 24 },
    limits: {},
    continuity: "offer",
    notify: "off",
    instructions: null,
    plugins: [plugin],
    brokenPlugins,
    variables: {},
    store: { durability: "normal" },
    overview: null,
    log: { level: logLevel },
    warnings: [],
  };
  return createHost({
    role,
    environment: { HERMES_HOME: folder },
    override: (container) => {
      container.registerInstance(CLOCK, clock);
      container.registerInstance(HOLDER, holder);
      container.registerInstance(PROCESS_PROBE, { fate: ({ id }) => (gone.has(id) ? "gone" : "alive") });
      container.registerInstance(CONFIG, config);
      container.registerInstance(AGENT, agent);
      override?.(container);
    },
  });
}

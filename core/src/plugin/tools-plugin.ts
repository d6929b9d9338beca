import { brandOf, hasBrand } from "../base/brand.ts";
import type { Clock } from "../base/clock.ts";
import { HermesError, reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { StandardSchema, ToolInput } from "../base/standard-schema.ts";
import { markAsPluginFunction } from "./descriptor.ts";
import { pluginFolder } from "./plugin-folder.ts";

/** A tool that a plugin brings along. */
export interface PluginTool<Input = unknown> {
  /** Small letters, digits, `_` and `-`; no built-in tool may be called so, and no other plugin's. */
  readonly name: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  /** The schema of the input, such as a zod object; a call whose input does not match is not run. */
  readonly input: ToolInput<Input>;
  /**
   * The worst that a call can do, by which it is judged as a built-in tool is. `reads`: nothing changes, so it may be
   * repeated after a crash. `network`: it asks a server. `writes` and `runs`: files change, programs run.
   */
  readonly effect: "reads" | "network" | "writes" | "runs";
  /** How long a call may take, in milliseconds; 10 minutes by default. One that takes longer is an error for the model. */
  readonly limitMs?: number;
  /** Describes a call on one line, for a person who is asked to allow it. */
  summary(input: Input): string;
  /**
   * What permission rules match against: real paths for `reads` and `writes`, else words. Without it, the tool's name
   * alone.
   */
  subjects?(input: Input): readonly string[];
  /** Runs the call, and returns what the model reads. The model gets whatever it throws as an error. */
  run(input: Input, call: PluginToolCall): Promise<string>;
}

/** What a tool of a plugin is told of the call. */
export interface PluginToolCall {
  /** The session's working directory; null when it has none. */
  readonly directory: string | null;
  /** Aborts when the call has to end. */
  readonly signal: AbortSignal;
}

/** What the host gives a plugin of tools. */
export interface ToolsDeps<Options = unknown> {
  /** The validated options, with defaults. */
  readonly options: Options;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The plugin's own folder (mode 0700) for its files. */
  readonly folder: string;
}

/** What a plugin's function returns to the config, where it brings tools. */
export interface ToolsDescriptor {
  readonly kind: "tools";
  readonly package: string;
  readonly apiVersion: number;
  readonly schema: StandardSchema<unknown, unknown>;
  readonly options: unknown;
  /** Called once in a process, before the first turn. */
  create(deps: ToolsDeps): Promise<readonly PluginTool[]>;
}

/** A plugin of tools whose options were checked. */
export interface ConfiguredTools {
  readonly descriptor: ToolsDescriptor;
  readonly options: unknown;
  /** Where the config names it: `plugins[0]`. */
  readonly key: string;
}

/** What the folders of such plugins are called by, each with its package behind it. */
export const TOOLS_FOLDER = "tools";

const TOOLS_DESCRIPTOR = brandOf("ToolsDescriptor");

/** Gives a tool the types of its input. */
export function defineTool<Input>(tool: PluginTool<Input>): PluginTool {
  return tool as PluginTool;
}

/**
 * Makes the function that people call in their config to give the agent more tools.
 *
 * @example
 * ```ts
 * export const weather = defineTools({
 *   package: "hermes-plugin-weather",
 *   apiVersion: 2,
 *   schema: z.object({ token: z.string().min(1) }),
 *   create: async ({ options }) => [forecastTool(options.token)],
 * });
 * ```
 */
export function defineTools<Input, Output>(plugin: {
  readonly package: string;
  readonly apiVersion: number;
  readonly schema: StandardSchema<Input, Output>;
  readonly create: (deps: ToolsDeps<Output>) => Promise<readonly PluginTool[]>;
}): (options?: { [Key in keyof Input]: Input[Key] | undefined }) => ToolsDescriptor {
  return markAsPluginFunction((options) => {
    const descriptor = { ...plugin, kind: "tools", options: options ?? {} } as ToolsDescriptor;
    return Object.defineProperty(descriptor, TOOLS_DESCRIPTOR, { value: true });
  });
}

export function isToolsDescriptor(value: unknown): value is ToolsDescriptor {
  return hasBrand(value, TOOLS_DESCRIPTOR);
}

/** What the host needs to make a plugin's tools. */
export interface ToolsRequest extends Pick<ToolsDeps, "clock" | "logger"> {
  /** Hermes' home. */
  readonly home: string;
  /** The names of the tools that there are already. */
  readonly taken: ReadonlySet<string>;
}

/** Makes a plugin's tools. Throws PLUGIN_INVALID where it fails, or names a tool as another one is named. */
export async function createTools(
  { descriptor, options }: ConfiguredTools,
  { clock, logger, home, taken }: ToolsRequest,
): Promise<readonly PluginTool[]> {
  const invalid = (reason: string, cause?: unknown) =>
    new HermesError("PLUGIN_INVALID", { package: descriptor.package, reason }, { cause });
  let tools: readonly PluginTool[];
  try {
    tools = await descriptor.create({
      options,
      clock,
      logger,
      folder: pluginFolder(home, TOOLS_FOLDER, descriptor.package),
    });
  } catch (error) {
    throw invalid(`its tools could not be made: ${reasonOf(error)}`, error);
  }
  if (!Array.isArray(tools)) throw invalid("its `create` returns no list of tools");
  const names = new Set<string>();
  for (const tool of tools) {
    const fault = faultOf(tool);
    if (fault !== null) throw invalid(fault);
    if (taken.has(tool.name) || names.has(tool.name)) throw invalid(`there is another tool called ${tool.name}`);
    names.add(tool.name);
  }
  return tools;
}

const EFFECTS: readonly unknown[] = ["reads", "network", "writes", "runs"] satisfies PluginTool["effect"][];

/** What is wrong with what should be a tool: every request to a model holds it, and would fail. */
function faultOf(tool: unknown): string | null {
  const { name, description, input, effect, summary, run } = Object(tool) as Partial<PluginTool>;
  if (typeof name !== "string" || !/^[a-z][a-z0-9_-]{0,63}$/.test(name))
    return `${JSON.stringify(name)} cannot be the name of a tool`;
  if (typeof description !== "string" || description === "") return `its tool ${name} has no description`;
  if (!EFFECTS.includes(effect)) return `its tool ${name} has no effect: ${EFFECTS.join(", ")}`;
  if (typeof summary !== "function" || typeof run !== "function") return `its tool ${name} has no summary and run`;
  try {
    const schema = input?.["~standard"].jsonSchema.input({ target: "draft-07" });
    return schema?.type === "object" ? null : `the input of its tool ${name} is no object`;
  } catch (error) {
    return `the input of its tool ${name} has no JSON schema: ${reasonOf(error)}`;
  }
}

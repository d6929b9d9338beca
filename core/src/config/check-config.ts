import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { output } from "zod";
import { type Clock, systemClock } from "../base/clock.ts";
import { asHermesError, HermesError } from "../base/errors.ts";
import { secretsOfEnvironment } from "../base/proxy/proxy-settings.ts";
import { createRedactor, secretsIn } from "../base/redact.ts";
import { withoutSecrets } from "../base/without-secrets.ts";
import { absolutePath } from "../permissions/files.ts";
import { type ImportModule, importModule as importNatively } from "../plugin/load-part.ts";
import { type CheckedPlugins, checkPlugins } from "./check-plugins.ts";
import type { CoreConfig, LoadedConfig } from "./config.ts";
import { configKeysAt, configSchema } from "./config-schema.ts";
import { lookalikesIn, readEnvFile } from "./env-file.ts";
import { type ConfigRequest, findConfig } from "./find-config.ts";
import { keyPath } from "./key-path.ts";
import { problemsFrom } from "./problem.ts";
import { type RawConfig, readConfig, unreadable } from "./read-config.ts";
import { type ConfirmChange, settleChange } from "./settle-change.ts";
import { expandVariables, unsetInCode } from "./variables.ts";

export interface CheckRequest extends ConfigRequest {
  readonly importModule?: ImportModule;
  readonly clock?: Clock;
  /** Left out where nobody can be asked: a config that changed since its folder was trusted is then not loaded. */
  readonly confirmChange?: ConfirmChange | undefined;
  /** Called with what the environment and the `.env` beside the config hold, before anything of the config runs. */
  readonly onVariables?: ((environment: NodeJS.ProcessEnv) => void) | undefined;
  /** Called with what the config says itself, before variables and defaults are put in. Holds secrets. */
  readonly onRead?: ((raw: RawConfig) => void) | undefined;
}

export interface CheckedConfig {
  /** The file that was read; null where there is none. */
  readonly path: string | null;
  /** Null when there are problems other than those of its `brokenPlugins`. */
  readonly config: LoadedConfig | null;
  /** Everything that is wrong, not only the first; what keeps the config from being used goes before the rest. */
  readonly problems: readonly HermesError[];
  readonly warnings: readonly HermesError[];
  /** The `.env` beside it; null where there is none. */
  readonly envFile: string | null;
}

/** Finds, reads and checks the config, and collects whatever is wrong with it. Does not throw. */
export async function checkConfig(request: CheckRequest): Promise<CheckedConfig> {
  let path: string | null = null;
  let warnings: readonly HermesError[] = [];
  let envFile: string | null = null;
  let redact = createRedactor(secretsOfEnvironment(request.environment));
  const failed = (problems: readonly HermesError[]): CheckedConfig => ({
    path,
    config: null,
    // A schema's own words, or a program's, may quote what they were given.
    problems: problems.map((problem) => withoutSecrets(problem, redact)),
    warnings,
    envFile,
  });

  try {
    const found = findConfig(request);
    path = found.file;
    warnings = found.untrusted.map((file) => new HermesError("CONFIG_NOT_TRUSTED", { file }));
    await settleChange(found, request);
    const folder = path === null ? request.home : dirname(path);
    const read = readEnvFile(folder, request.environment);
    const { variables } = read;
    envFile = read.file;
    warnings = [...warnings, ...read.warnings];
    const environment = { ...variables, ...request.environment };
    const secrets = [...secretsOfEnvironment(environment), ...lookalikesIn(variables)];
    redact = createRedactor(secrets);
    request.onVariables?.(environment);
    const raw = path === null ? { value: {}, isData: true } : await readConfig(path, request, variables);
    request.onRead?.(raw);
    redact = createRedactor([...secrets, ...secretsIn(raw.value)]);

    const checked = { ...request, environment };
    const { config, plugins, problems } = await check(raw.value, raw.isData, path ?? "the config", checked);
    if (path !== null && Object(raw.value).gateway?.allowHandoff !== undefined) {
      warnings = [...warnings, new HermesError("CONFIG_WITHOUT_EFFECT", { file: path, key: "gateway.allowHandoff" })];
    }
    const brokenPlugins = plugins.broken.map((plugin) => ({ ...plugin, error: withoutSecrets(plugin.error, redact) }));
    const brokenness = brokenPlugins.map(({ error }) => error);
    if (config === null || problems.length > 0) return failed([...problems, ...brokenness]);
    const loaded = {
      ...config,
      path,
      folder,
      plugins: plugins.configured,
      ...(plugins.tools.length > 0 && { toolPlugins: plugins.tools }),
      brokenPlugins,
      warnings,
      variables,
    };
    return { path, config: loaded, problems: brokenness, warnings, envFile };
  } catch (error) {
    if (error instanceof HermesError || path === null) return failed([asHermesError(error)]);
    // What a program exports may do anything when it is looked at.
    return failed([await unreadable(error, path)]);
  }
}

/**
 * Checks a config that a program has made, and is in no file. Throws the first problem as a HermesError. What its
 * plugins miss stands in its `brokenPlugins`.
 */
export async function checkConfigValue(
  value: unknown,
  { folder, ...request }: CheckRequest & { readonly folder: string },
): Promise<LoadedConfig> {
  const redact = createRedactor([...secretsOfEnvironment(request.environment), ...secretsIn(value)]);
  const safely = (problem: HermesError) => withoutSecrets(problem, redact);
  const { config, plugins, problems } = await check(value, null, "the config", { ...request, folder });
  const [problem] = problems;
  if (problem !== undefined) throw safely(problem);
  if (config === null) throw asHermesError("the config cannot be used, and nobody says why");
  const brokenPlugins = plugins.broken.map((plugin) => ({ ...plugin, error: safely(plugin.error) }));
  const toolPlugins = plugins.tools;
  return {
    ...config,
    path: null,
    folder,
    plugins: plugins.configured,
    toolPlugins,
    brokenPlugins,
    warnings: [],
    variables: {},
  };
}

async function check(
  value: unknown,
  /** Null for a value that is in no file. */
  isData: boolean | null,
  file: string,
  request: CheckRequest & { readonly folder?: string },
): Promise<{
  readonly config: CoreConfig | null;
  readonly plugins: Omit<CheckedPlugins, "problems">;
  readonly problems: readonly HermesError[];
}> {
  const { environment, importModule = importNatively, clock = systemClock } = request;
  const expanded = isData ? expandVariables(value, environment) : { config: value, unset: [] };
  const folder = request.folder ?? dirname(file);
  const unsetIn = () => (isData === null ? [] : unsetInCode(value, readFileSync(file, "utf8"), environment));
  const unset = (isData ? expanded.unset : unsetIn()).map(
    ({ path, variable }) => new HermesError("CONFIG_VARIABLE_UNSET", { file, key: keyPath(path), variable }),
  );
  // Nothing else can be said of texts in which a variable still stands.
  if (isData && unset.length > 0)
    return { config: null, plugins: { configured: [], tools: [], broken: [] }, problems: unset };

  const unsetKeys = new Set(unset.map(({ fields }) => fields.key));
  const checked = { file, isUnset: (key: string) => unsetKeys.has(key) };
  const result = configSchema.safeParse(expanded.config);
  const problems = result.success
    ? []
    : problemsFrom(result.error.issues, { ...checked, value: expanded.config, at: [], keysAt: configKeysAt });

  // Plugins are checked even when something else is wrong, so that one run reports everything.
  const entries: unknown = result.data?.plugins ?? Object(expanded.config).plugins;
  const plugins = await checkPlugins(Array.isArray(entries) ? entries : [], {
    ...checked,
    folder,
    clock,
    importModule,
  });
  const config = result.success ? coreOf(result.data, folder) : null;
  return { config, plugins, problems: [...unset, ...problems, ...plugins.problems] };
}

function coreOf(checked: output<typeof configSchema>, folder: string): CoreConfig {
  const { plugins: _, gateway: __, model = null, instructions = null, tools, ...own } = checked;
  const directory = tools.directory === null ? null : absolutePath(tools.directory, folder);
  return { ...own, model, instructions, tools: { ...tools, directory } };
}

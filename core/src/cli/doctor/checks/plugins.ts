import { asHermesError, HermesError, reasonOf } from "../../../base/errors.ts";
import { silentLogger } from "../../../base/logger.ts";
import { count } from "../../../base/text.ts";
import type { BrokenPlugin } from "../../../config/config.ts";
import { accountName } from "../../../model/identity.ts";
import type { ConfiguredPlugin } from "../../../plugin/configured-plugin.ts";
import { loadPart } from "../../../plugin/load-part.ts";
import { manifestOrNull } from "../../../plugin/manifest.ts";
import { runAs } from "../../../plugin/plugin-context.ts";
import { pluginFolderPath } from "../../../plugin/plugin-folder.ts";
import type { PluginSetup } from "../../../plugin/plugin-setup.ts";
import { runExamine } from "../../../plugin/run-examine.ts";
import { type ConfiguredTools, createTools, TOOLS_FOLDER } from "../../../plugin/tools-plugin.ts";
import type { StoreContent } from "../../../store/store-report.ts";
import { TOOL_NAMES } from "../../../tools/tool-names.ts";
import { type Check, type DoctorContext, type DoctorFinding, ofError, ok, problem, warning } from "../check.ts";

/** A check for each plugin of the config, by calls to its platform. */
export function pluginChecks({ checked }: DoctorContext): Check[] {
  const config = checked?.config ?? null;
  if (config === null) return [];
  const checks = [
    ...config.plugins.map((plugin) => checkOf(plugin, config.folder)),
    ...config.brokenPlugins.map(checkOfBroken),
    ...(config.toolPlugins ?? []).map((plugin) => checkOfTools(plugin, config.folder)),
  ];
  return checks.length > 0 ? checks : [NO_PLUGIN];
}

const NO_PLUGIN: Check = {
  name: "plugins",
  title: "Platforms",
  run: async () => [ok("No platform is configured; `hermes init` adds one.")],
};

function checkOfBroken({ package: name, platform, account, error }: BrokenPlugin): Check {
  const title = accountName({ platform: platform ?? name, account });
  return { name: `plugin ${title}`, title, run: async () => [ofError(error)] };
}

function checkOfTools(plugin: ConfiguredTools, folder: string): Check {
  const { package: name } = plugin.descriptor;
  return {
    name: `plugin ${name}`,
    title: name,
    async run(context, signal) {
      const { clock, home } = context;
      const failed = Promise.withResolvers<never>();
      const owner = { fail: failed.reject, print() {} };
      try {
        const make = () => createTools(plugin, { clock, home, logger: silentLogger, taken: TOOL_NAMES });
        const tools = await Promise.race([runAs(owner, make), failed.promise]);
        const names = tools.map((tool) => tool.name).join(", ") || "none";
        const brings = ok(`It brings ${count(tools.length, "tool")}: ${names}.`);
        const manifest = manifestOrNull(name, folder);
        const setup = manifest && (await loadPart(manifest, "setup"));
        if (setup === null) return [brings];
        const at = pluginFolderPath(home, TOOLS_FOLDER, name);
        return [
          brings,
          ...(await examine(setup, { package: name, options: plugin.options, folder: at }, context, signal)),
        ];
      } catch (error) {
        signal.throwIfAborted();
        return [ofError(asHermesError(error))];
      }
    },
  };
}

function checkOf(plugin: ConfiguredPlugin, folder: string): Check {
  const { descriptor, options } = plugin;
  const title = accountName({ platform: descriptor.platform, account: options.account });
  return {
    name: `plugin ${title}`,
    title,
    async run(context, signal) {
      const manifest = manifestOrNull(descriptor.package, folder);
      const setup = manifest && (await loadPart(manifest, "setup"));
      const content = await contentOf(context);
      const at = pluginFolderPath(context.home, descriptor.platform, options.account);
      const given = { ...options, ...homeChannelOf(plugin, content) };
      const found =
        setup === null
          ? [noCheck(descriptor.package)]
          : await examine(setup, { package: descriptor.package, options: given, folder: at }, context, signal);
      return [...found, ...ofHome(plugin, setup, content), ...ofPeople(plugin)];
    },
  };
}

function noCheck(name: string): DoctorFinding {
  return ok(`${name} is loaded, and its options are valid; it has no check of its own.`);
}

/** What the store knows of home channels and gateways; null where it cannot be read, which its own check says. */
async function contentOf({ store }: DoctorContext): Promise<StoreContent | null> {
  try {
    return (await store()).content;
  } catch {
    return null;
  }
}

/** With /sethome it lies in the store, and is examined like one of the config. */
function homeChannelOf({ descriptor: { platform }, options }: ConfiguredPlugin, content: StoreContent | null): object {
  const set = content?.homes.find((one) => one.platform === platform && one.account === options.account);
  const homeChannel = options.homeChannel ?? set?.home;
  return homeChannel === undefined ? {} : { homeChannel };
}

interface Examined {
  readonly package: string;
  readonly options: unknown;
  readonly folder: string;
}

async function examine(
  setup: PluginSetup,
  { package: name, options, folder }: Examined,
  { clock }: DoctorContext,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  try {
    const { account, findings } = await runExamine(setup, options, { folder, clock, signal });
    const isSaid = account === null || findings.some(({ message }) => message.includes(account.name));
    return isSaid ? [...findings] : [ok(`It is signed in as ${account.name}.`), ...findings];
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof HermesError) return [ofError(error)];
    const hint = `Run \`hermes doctor\` again; if it stays, tell the author of ${name}.`;
    return [problem(`The check of ${name} failed: ${reasonOf(error)}.`, hint)];
  }
}

function ofHome(
  { descriptor: { platform }, options }: ConfiguredPlugin,
  setup: PluginSetup | null,
  content: StoreContent | null,
): DoctorFinding[] {
  const { account, homeChannel, operators, allowedUsers } = options;
  const isOurs = (one: { readonly platform: string; readonly account?: string | undefined }) =>
    one.platform === platform && one.account === account;
  const isSet = homeChannel !== undefined || content?.homes.some(isOurs);
  const isServed = content?.alive.some(({ platforms }) => platforms.some((one) => isOurs(one) && one.home !== null));
  // Some platforms have one by themselves; without a set-up, nobody says which.
  const needsNone = setup === null || setup.ways.every(({ needsHome }) => needsHome === false);
  if (isSet || isServed || needsNone) return [];
  const isAnybodyAllowed = operators.length + allowedUsers.length > 0;
  const hint = isAnybodyAllowed
    ? "Send /sethome in the chat that you choose (`!sethome` where the platform reserves the slash)."
    : "Nobody may write to it yet either: `hermes init` finds the chat, or set `homeChannel` in the config.";
  return [warning(`${setup.title} has no home channel: nothing can be handed off to it.`, hint)];
}

function ofPeople({ options }: ConfiguredPlugin): DoctorFinding[] {
  if (!options.allowedUsers.includes("*")) return [];
  const hint = "Unless that is intended, name the people in `allowedUsers` by their ids: `hermes people` shows them.";
  return [warning('Everybody may talk to the agent there: `allowedUsers` holds "*".', hint)];
}

import { runWithin } from "../../base/deadline.ts";
import { ERROR_TABLE } from "../../base/error-table.ts";
import { asHermesError, HermesError, reasonOf } from "../../base/errors.ts";
import { safeText } from "../../base/hidden-text.ts";
import { randomIds } from "../../base/ids.ts";
import { createRedactor, secretsIn } from "../../base/redact.ts";
import type { ConfiguredPlugin } from "../../plugin/configured-plugin.ts";
import { loadPart } from "../../plugin/load-part.ts";
import { pluginFolder, pluginFolderPath } from "../../plugin/plugin-folder.ts";
import type { Examination, Finding, SetupWay } from "../../plugin/plugin-setup.ts";
import { runExamine } from "../../plugin/run-examine.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import { styled } from "../../terminal/styled.ts";
import { signOf } from "../doctor/print-findings.ts";
import { wayOfAccount } from "./ask-account.ts";
import { askAllowed } from "./ask-allowed.ts";
import { askHome } from "./ask-home.ts";
import { askOne, askOptions, checked, type Options, optionsInConfig } from "./ask-options.ts";
import type { KnownPlatform, LoadedPlugin } from "./catalogue.ts";
import type { DraftPlatform, Init } from "./draft.ts";
import { initUsage } from "./flags.ts";
import type { PluginShelf } from "./obtain-plugin.ts";
import { wayInUse } from "./way-in-use.ts";

/** What plugins advise where a home channel is read by others. */
const NOT_SHARED_HINT = ERROR_TABLE.CONFIG_HOME_CHANNEL_NOT_SHARED.hint;

/** How long the check of an account may take, in milliseconds. */
const EXAMINED_WITHIN_MS = 60_000;

/** Which parts of a platform to ask for. `all`: for a new one. */
export type Part = "all" | "account" | "home" | "people";

/** Sets one platform up, or changes a part of it, up to what is to be written. Nothing where the person leaves it out. */
export async function askPlatform(
  init: Init,
  shelf: PluginShelf,
  known: KnownPlatform,
  { way: wayName = null, part = "all" }: { readonly way?: string | null; readonly part?: Part } = {},
): Promise<void> {
  const { asking, context, draft } = init;
  const { output } = context;
  output.line();
  output.line(output.colors.bold(known.title));
  let plugin = await shelf.take(known);
  const meant = draft.accounts.get(known.platform) ?? null;
  const key = meant === null ? known.platform : `${known.platform}/${meant}`;
  const anyWay = await wayOf(init, plugin, wayName);
  const way = meant === null ? anyWay : wayOfAccount(anyWay, meant);
  if (way.packages !== undefined) plugin = await shelf.takeWith(plugin, way.packages);
  const before = draft.platforms.get(key);
  const needsHome = way.needsHome ?? true;
  const base: DraftPlatform = {
    plugin,
    options: { ...(meant === null ? {} : { account: meant }), ...before?.options },
    packages: way.packages ?? [],
    account: before?.account ?? null,
    needsHome,
    homePerson: before?.homePerson ?? null,
    command: asking === null ? (way.command ?? null) : null,
  };
  let settled: DraftPlatform = base;
  if (part !== "people") {
    const asksOptions = part !== "home";
    const options = asksOptions ? await askOptions(init, plugin, way, { ...base.options }) : { ...base.options };
    const home = init.flags.homes.get(known.platform);
    // Checked with the rest before anything is written.
    if (needsHome && part !== "account" && home !== undefined) options.homeChannel = home;
    const account = await settle(init, plugin, way, options);
    if (account === null) return forget(init, way);
    settled = { ...base, options, account: account.examination.account?.name ?? null };
    if (needsHome && part !== "account") settled = await askHome(init, settled, account);
  }
  if (needsHome && (part === "all" || part === "people")) settled = await askAllowed(init, settled);
  draft.platforms.set(key, settled);
}

async function wayOf(init: Init, { setup, title, platform }: LoadedPlugin, name: string | null): Promise<SetupWay> {
  const { ways } = setup;
  const { asking } = init;
  const [first] = ways;
  if (first === undefined) throw initUsage(`${title} names no way to set it up`);
  if (name !== null) {
    const found = ways.find((way) => way.name === name);
    if (found !== undefined) return found;
    throw initUsage(`${title} is set up as ${ways.map((way) => way.name).join(" or ")}, not as ${name}`);
  }
  // The one by which it is used already.
  const there = optionsInConfig(init, platform);
  if (there !== null) return wayInUse(ways, there) ?? first;
  if (ways.length === 1 || asking === null) return first;
  return asking.choose(
    `How do you want to use ${title}?`,
    ways.map((way) => ({ value: way, name: way.name, facts: safeText(way.title) })),
  );
}

export interface CheckedAccount {
  readonly configured: ConfiguredPlugin;
  readonly examination: Examination;
}

/** Checks the options by a real call, and asks again as long as something is wrong. Null: the platform is left out. */
async function settle(
  init: Init,
  plugin: LoadedPlugin,
  way: SetupWay,
  options: Options,
): Promise<CheckedAccount | null> {
  const { asking, context } = init;
  for (;;) {
    const { configured, problems } = await checked(init, plugin, options);
    let wrong = problems.map(({ message }) => message);
    if (configured !== null) {
      let examination = await examined(init, plugin, configured);
      if (way.command !== undefined && asking !== null && examination.findings.some(isProblem)) {
        // Not connected yet, most likely.
        await connect(init, plugin, configured, way.command);
        examination = await examined(init, plugin, configured);
      }
      printExamination(init, examination);
      const found = examination.findings.filter(isProblem);
      if (found.some(isOfShared) && (await isSharingMeant(init, plugin))) {
        options.homeChannel = sharedHome(options.homeChannel ?? optionsInConfig(init, plugin.platform)?.homeChannel);
        continue;
      }
      // Without a person to scan a code, the account is connected later, by the command printed at the end.
      if (found.length === 0 || (asking === null && way.command !== undefined)) return { configured, examination };
      wrong = found.map(({ message }) => message);
    } else for (const { message } of problems) context.output.line(context.output.colors.yellow(message));
    if (asking === null) {
      throw new HermesError("INIT_CHECK_FAILED", { platform: plugin.title, reason: wrong[0] ?? "no reason was given" });
    }
    const next = await asking.choose("What now?", [
      { value: "again" as const, name: "again", facts: "check it once more" },
      { value: "answer" as const, name: "answer", facts: "answer its questions anew" },
      { value: "leave" as const, name: "leave", facts: `go on without ${plugin.title}` },
    ]);
    if (next === "leave") return null;
    if (next === "answer") for (const question of way.questions) await askOne(init, asking, plugin, question, options);
  }
}

/** Whether others read what is handed off, and the config does not say that this is meant. */
function isOfShared({ hint }: Finding): boolean {
  return hint === NOT_SHARED_HINT;
}

async function isSharingMeant({ asking, flags }: Init, { platform }: LoadedPlugin): Promise<boolean> {
  if (flags.sharedHomes.includes(platform)) return true;
  return (await asking?.yes("Others there will read what is handed off. Is that intended?", false)) ?? false;
}

function sharedHome(home: unknown): object {
  return typeof home === "object" ? { ...home, shared: true } : { chatId: home, shared: true };
}

function isProblem({ state }: Finding): boolean {
  return state === "problem";
}

async function examined(init: Init, plugin: LoadedPlugin, configured: ConfiguredPlugin): Promise<Examination> {
  const { clock, home, context, signal, draft } = init;
  using spinner = createSpinner(context.output, clock);
  spinner.spin(`checking ${plugin.title}`);
  const late = new HermesError("GAVE_UP_WAITING", { seconds: EXAMINED_WITHIN_MS / 1000, what: plugin.title });
  const { descriptor, options } = configured;
  const redact = createRedactor([...secretsIn(options), ...draft.variables.values()]);
  const folder = pluginFolderPath(home, descriptor.platform, options.account);
  const examine = (limited: AbortSignal) => runExamine(plugin.setup, options, { folder, clock, signal: limited });
  try {
    const { account, findings } = await runWithin(clock, EXAMINED_WITHIN_MS, signal, examine, late);
    return { account, findings: findings.map((finding) => ({ ...finding, message: redact(finding.message) })) };
  } catch (error) {
    signal.throwIfAborted();
    const { message, hint } =
      error instanceof HermesError ? error : asHermesError(new Error(reasonOf(error), { cause: error }));
    return { account: null, findings: [{ state: "problem", message: redact(message), hint: redact(hint) }] };
  }
}

function printExamination({ context: { output } }: Init, { account, findings }: Examination): void {
  if (account !== null && findings.length === 0) output.line(styled`${signOf(output, "ok")} It is ${account.name}.`);
  for (const { state, message, hint } of findings) {
    output.line(styled`${signOf(output, state)} ${output.asCalled(message)}`);
    if (hint !== undefined) output.line(styled`  ${output.colors.dim(output.asCalled(hint))}`);
  }
}

/** Runs the plugin's command that connects the account, such as one that shows a code for a phone. */
async function connect(init: Init, plugin: LoadedPlugin, { options }: ConfiguredPlugin, name: string): Promise<void> {
  const { home, clock, context } = init;
  const cli = await loadPart(plugin.manifest, "cli");
  const command = cli?.commands?.find((one) => one.name === name);
  if (command === undefined) throw initUsage(`${plugin.title} has no command ${name}`);
  const folder = pluginFolder(home, plugin.platform, options.account);
  const print = (line: string) => context.output.line(line);
  await command.run([], { folder, options, clock, ids: randomIds, print });
}

/** The secrets of a platform that is left out are not written. */
function forget({ draft }: Init, { questions }: SetupWay): void {
  for (const { variable } of questions) if (variable !== undefined) draft.variables.delete(variable);
}

import { container as rootContainer } from "tsyringe";
import { type Clock, systemClock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import { useProxy } from "../../base/proxy/use-proxy.ts";
import { createRedactor } from "../../base/redact.ts";
import { CLOCK } from "../../base/tokens.ts";
import type { LoadedConfig } from "../../config/config.ts";
import { defaultConfig, loadConfig } from "../../config/load-config.ts";
import { mayRunCodeOf } from "../../config/own-project.ts";
import { secretsOfConfig } from "../../config/secrets-of-config.ts";
import { hermesHome, isHomeSafe, prepareHome } from "../../host/home.ts";
import { styled } from "../../terminal/styled.ts";
import { canAsk } from "../confirm.ts";
import { confirmChangeOn } from "../confirm-change.ts";
import type { CliContext } from "../context.ts";
import { askForModel } from "./ask-for-model.ts";
import { askPlatform } from "./ask-platform.ts";
import { Asking, cancelled } from "./asking.ts";
import { type KnownPlatform, knownPlatforms, platformNamed } from "./catalogue.ts";
import { changeSetup } from "./change-setup.ts";
import { emptyDraft, type Init, isEmpty } from "./draft.ts";
import { finish } from "./finish.ts";
import { type Flags, type GivenFlags, initUsage, readFlags } from "./flags.ts";
import { PluginShelf } from "./obtain-plugin.ts";
import { type Plan, planOf } from "./plan.ts";
import { startAgain } from "./start-again.ts";
import { findTarget, type Target } from "./target.ts";
import { pasteByHand, printPlan, report } from "./tell.ts";
import { write } from "./write.ts";

/** `hermes init`: asks, and then writes a config, installs its plugins, starts the gateway and hands a session off. */
export async function init(context: CliContext, given: GivenFlags): Promise<number> {
  const { io, output } = context;
  output.wraps = true;
  const flags = readFlags(given);
  const home = hermesHome(io.environment);
  const isAsked = !flags.yes && canAsk(output);
  if (!isAsked && !flags.yes) {
    throw initUsage("There is no terminal to ask in: pass --yes, with --model, --platform, --set and --home");
  }
  // Changes nothing of a home that is not there yet.
  if (!isHomeSafe(home)) prepareHome(home);
  const target = findTarget(context, home, flags.folder);
  const stop = new AbortController();
  using _interrupt = io.onSignal("SIGINT", () => stop.abort(cancelled()));
  using _terminate = io.onSignal("SIGTERM", () => stop.abort(cancelled()));
  using asking = isAsked ? new Asking(output, stop.signal) : null;
  if (asking !== null) await settleEnvFile(asking, home, target);
  const config = await configThere(context, home, target.file, target.folder);
  using _proxy = asDisposable(useProxy({ ...config.variables, ...io.environment }));
  const { override } = context;
  const draft = emptyDraft();
  const { redact } = output;
  output.redact = (text) =>
    createRedactor([...secretsOfConfig(config, io.environment), ...draft.variables.values()])(redact(text));
  const started: Init = {
    ...{ context, home, flags, asking, target, config, override, draft, stopped: [] },
    clock: clockOf(override),
    signal: stop.signal,
  };
  using shelf = new PluginShelf(target.folder, output);
  try {
    return await gatherAndWrite(started, shelf);
  } finally {
    await startAgain(started);
  }
}

/** A `.env` that is there before a config may have come with a repository; it could send keys and messages elsewhere. */
async function settleEnvFile(asking: Asking, home: string, { folder, file, isHome }: Target): Promise<void> {
  if (file !== null || isHome || mayRunCodeOf(folder, home)) return;
  const { readEnvFile } = await import("../../config/env-file.ts");
  const { file: envFile, variables } = readEnvFile(folder, {});
  if (envFile === null) return;
  asking.output.line(styled`${envFile} is there already, and sets ${Object.keys(variables).join(", ") || "nothing"}.`);
  if (!(await asking.yes("Is it yours, and do you trust it?", false))) throw cancelled();
}

async function gatherAndWrite(init: Init, shelf: PluginShelf): Promise<number> {
  const { context, target, asking, signal } = init;
  const { output } = context;
  const mayRunCode = target.file !== null || target.isHome || mayRunCodeOf(target.folder, init.home);
  const known = await knownPlatforms(target.folder, mayRunCode);
  if (asking !== null) greet(init);
  if (target.file === null) await setUp(init, shelf, known);
  else await changeSetup(init, shelf, known);
  signal.throwIfAborted();
  const plan = await planOf(init);
  if (target.file !== null && isEmpty(init.draft) && plan.packages.length === 0) {
    output.line("Nothing to change.");
    await report(init, plan, { written: [], gateway: null, handoff: null });
    return 0;
  }
  if (plan.paste !== null && asking === null) throw new HermesError("INIT_CONFIG_BY_HAND", { file: plan.file });
  printPlan(init, plan);
  if (asking !== null && !(await asking.yes("Do all that?", true))) throw cancelled();
  signal.throwIfAborted();
  return carryOut(init, plan);
}

async function carryOut(init: Init, plan: Plan): Promise<number> {
  const { context, asking } = init;
  const { output } = context;
  output.besideError = { folder: init.target.folder, config: plan.file };
  const written = await write(init, plan);
  for (const file of written) output.line(`Wrote ${file}.`);
  if (plan.paste !== null) {
    if (asking !== null) await pasteByHand(init, asking, plan);
  }
  output.besideError = { ...output.besideError, written, installed: plan.packages };
  // What is typed from here on is for the shell.
  asking?.[Symbol.dispose]();
  const { gateway, handoff } = await finish(init);
  await report(init, plan, { written, gateway, handoff });
  return 0;
}

/** A new set-up: the model, then platforms. */
async function setUp(init: Init, shelf: PluginShelf, known: readonly KnownPlatform[]): Promise<void> {
  const { flags, asking } = init;
  await askForModel(init);
  for (const { platform, way } of await wantedPlatforms(flags, asking, known))
    await askPlatform(init, shelf, platform, { way });
}

async function wantedPlatforms(flags: Flags, asking: Asking | null, known: readonly KnownPlatform[]) {
  if (flags.platforms.length > 0) {
    return flags.platforms.map(({ platform, way }) => ({ platform: platformNamed(platform, known), way }));
  }
  const choices = known.map((platform) => ({ value: platform, name: platform.platform, facts: platform.summary }));
  const byDefault = choices.slice(0, 1);
  if (asking === null) return byDefault.map(({ value }) => ({ platform: value, way: null }));
  asking.output.line();
  asking.output.line(asking.output.colors.bold("Platforms"));
  const chosen = await asking.chooseSome("Where do you want to use it? (numbers or names)", choices, byDefault);
  return chosen.map((platform) => ({ platform, way: null }));
}

function greet({ context: { output }, target }: Init): void {
  output.line(output.colors.bold(target.file === null ? "Setting Hermes up" : "Changing the set-up of Hermes"));
  output.line(target.file ?? `in ${target.folder}`);
  output.line("Nothing is written before the last question; Ctrl-C leaves everything as it is.");
}

/** The config that is there, or the defaults. Throws what is wrong with it. */
async function configThere(
  context: CliContext,
  home: string,
  file: string | null,
  folder: string,
): Promise<LoadedConfig> {
  const { io, output } = context;
  const confirmChange = confirmChangeOn(output);
  if (file !== null) {
    const { HERMES_CONFIG: _named, ...environment } = io.environment;
    // Found where it lies, so that what changed in a trusted folder is asked about.
    const named = context.configPath ?? io.environment.HERMES_CONFIG;
    return loadConfig({ configPath: named, environment, workingDirectory: folder, home, confirmChange });
  }
  const { readEnvFile } = await import("../../config/env-file.ts");
  const { variables } = readEnvFile(folder, io.environment);
  return defaultConfig(folder, { variables });
}

/** The one that the caller brought, or the machine's own. */
function clockOf(override: CliContext["override"]): Clock {
  const container = rootContainer.createChildContainer();
  override(container);
  return container.isRegistered(CLOCK) ? container.resolve(CLOCK) : systemClock;
}

function asDisposable(undo: () => void): Disposable {
  return { [Symbol.dispose]: undo };
}

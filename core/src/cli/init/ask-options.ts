import type { HermesError } from "../../base/errors.ts";
import { createRedactor, secretsIn } from "../../base/redact.ts";
import { withoutSecrets } from "../../base/without-secrets.ts";
import { checkOptions } from "../../config/check-options.ts";
import type { ConfiguredPlugin } from "../../plugin/configured-plugin.ts";
import type { SetupQuestion, SetupWay } from "../../plugin/plugin-setup.ts";
import type { Asking } from "./asking.ts";
import type { LoadedPlugin } from "./catalogue.ts";
import { environmentOf, type Init, withValues } from "./draft.ts";
import { initUsage } from "./flags.ts";
import { canOpenPage, openPage } from "./open-page.ts";

/** Options of one platform as they are being answered: secrets stand as `{ variable: NAME }`. */
export type Options = Record<string, unknown>;

/** Asks what a way of a platform needs, as far as no flag and no variable says it. */
export async function askOptions(init: Init, plugin: LoadedPlugin, way: SetupWay, before: Options): Promise<Options> {
  const { flags, asking, draft } = init;
  const options: Options = { ...before, ...way.options };
  for (const [option, text] of Object.entries(flags.options.get(plugin.platform) ?? {})) {
    const question = way.questions.find((one) => one.option === option);
    if (question?.variable !== undefined) {
      const reason = `${plugin.title}'s ${option} is a secret: set ${question.variable} rather than --set`;
      throw initUsage(reason);
    }
    options[option] = await fitting(init, plugin, options, option, text);
  }
  const environment = environmentOf(init);
  const there = optionsInConfig(init, plugin.platform);
  for (const question of way.questions) {
    const { option, variable } = question;
    if (options[option] !== undefined && variable === undefined) continue;
    if (there !== null && there[option] !== undefined) {
      // A person who sets the account up again in a terminal wants another one; otherwise keep it.
      if (asking !== null) await askOne(init, asking, plugin, question, options);
      continue;
    }
    const known = variable === undefined ? undefined : environment[variable]?.trim();
    if (variable !== undefined && known) {
      asking?.output.line(`${variable} is set: it is taken for ${inSentence(question.label)}.`);
      if (init.config.variables[variable] !== known) draft.variables.set(variable, known);
      options[option] = { variable };
    } else if (asking !== null) await askOne(init, asking, plugin, question, options);
    else takeDefault(init, plugin, question, options);
  }
  return options;
}

/** Asks until the answer fits; sets the option, and for a secret its variable. */
export async function askOne(
  init: Init,
  asking: Asking,
  plugin: LoadedPlugin,
  question: SetupQuestion,
  options: Options,
): Promise<void> {
  const { option, label, steps = [], page, variable, default: byDefault, isOptional = false } = question;
  const { output } = asking;
  for (const [at, step] of steps.entries()) output.line(`  ${at + 1}. ${step}`);
  if (page !== undefined) output.line(`  ${page}`);
  const isOpened = page !== undefined && byDefault === undefined && !isOptional && canOpenPage(output.io);
  const isThere = optionsInConfig(init, plugin.platform)?.[option] !== undefined;
  const hint = isThere ? " (Enter alone keeps it)" : hintOf(question, isOpened);
  for (;;) {
    const typed = await asking.text(`${label}${hint}:`, { isUnseen: variable !== undefined });
    if (typed === "" && isThere) return;
    const answer = typed === "" ? (byDefault ?? "") : typed;
    if (answer === "" && isOptional) return;
    if (answer === "") {
      if (isOpened) openPage(output.io, page);
      continue;
    }
    if (variable === undefined) options[option] = await fitting(init, plugin, options, option, answer);
    else {
      init.draft.variables.set(variable, answer);
      options[option] = { variable };
    }
    const [problem] = await problemsOf(init, plugin, options, option);
    if (problem === undefined) return;
    output.line(output.colors.yellow(problem.message));
    delete options[option];
    if (variable !== undefined) init.draft.variables.delete(variable);
  }
}

function hintOf({ variable, default: byDefault, isOptional }: SetupQuestion, isOpened: boolean): string {
  if (byDefault !== undefined && variable === undefined) return ` [${byDefault}]`;
  const unseen = variable === undefined ? [] : ["typed unseen"];
  const enter =
    byDefault !== undefined
      ? ["Enter alone: a random one"]
      : isOptional
        ? ["Enter alone: none"]
        : isOpened
          ? ["Enter alone opens the page"]
          : [];
  const said = [...unseen, ...enter].join("; ");
  return said === "" ? "" : ` (${said})`;
}

function takeDefault({ draft }: Init, plugin: LoadedPlugin, question: SetupQuestion, options: Options): void {
  const { option, variable, default: byDefault, isOptional } = question;
  if (byDefault !== undefined && variable !== undefined) {
    draft.variables.set(variable, byDefault);
    options[option] = { variable };
  } else if (byDefault !== undefined) options[option] = byDefault;
  else if (!isOptional) {
    const how = variable === undefined ? `give --set ${plugin.platform}.${option}=…` : `set the variable ${variable}`;
    throw initUsage(`${plugin.title} needs ${inSentence(question.label)}: ${how}`);
  }
}

/** A text as the plugin's schema wants it: as it is, or as what it says in JSON, such as a number. */
async function fitting(init: Init, plugin: LoadedPlugin, options: Options, option: string, text: string) {
  if ((await problemsOf(init, plugin, { ...options, [option]: text }, option)).length === 0) return text;
  try {
    const value: unknown = JSON.parse(text);
    return (await problemsOf(init, plugin, { ...options, [option]: value }, option)).length === 0 ? value : text;
  } catch {
    return text;
  }
}

/** What the schema has against one option. */
async function problemsOf(init: Init, plugin: LoadedPlugin, options: Options, option: string): Promise<HermesError[]> {
  const { problems } = await checked(init, plugin, options);
  return problems.filter(({ fields: { key = "" } }) => String(key).split(/[.[]/)[0] === option);
}

/** The options with their values, checked by the plugin's schema. */
export async function checked(
  init: Init,
  plugin: LoadedPlugin,
  options: Options,
): Promise<{ readonly configured: ConfiguredPlugin | null; readonly problems: readonly HermesError[] }> {
  const values = { ...optionsInConfig(init, plugin.platform), ...withValues(options, environmentOf(init)) };
  const descriptor = plugin.configure(values);
  const place = { file: plugin.title, at: [], isUnset: () => false };
  const { options: own, problems } = await checkOptions(descriptor, place);
  const redact = createRedactor([...secretsIn(values), ...init.draft.variables.values()]);
  return {
    configured: own && { descriptor, options: own },
    problems: problems.map((problem) => withoutSecrets(problem, redact)),
  };
}

/**
 * What the config that is there has for a platform, of the account that is meant, with the values of its variables; null
 * where it has none of it.
 */
export function optionsInConfig({ config, draft: { accounts } }: Init, platform: string): Options | null {
  const meant = accounts.get(platform);
  const configured = config.plugins.find(
    ({ descriptor, options }) =>
      descriptor.platform === platform && (meant === undefined || (options.account ?? null) === meant),
  );
  return configured ? { ...Object(configured.descriptor.options) } : null;
}

/** “The bot's token” within a sentence. */
function inSentence(label: string): string {
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

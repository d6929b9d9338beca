import { checkModel, findLocalServers } from "../../agent/check-model.ts";
import type { ListedModel } from "../../agent/listed-model.ts";
import { parseModelName } from "../../agent/model-name.ts";
import {
  BUILT_IN_SERVERS,
  keyInEnvironment,
  keyVariablesOf,
  LOCAL_SERVERS,
  providerAccess,
} from "../../agent/provider-access.ts";
import { runWithin } from "../../base/deadline.ts";
import { HermesError } from "../../base/errors.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import { styled } from "../../terminal/styled.ts";
import { signOf } from "../doctor/print-findings.ts";
import { askOwnServer } from "./ask-own-server.ts";
import type { Asking, ListItem } from "./asking.ts";
import { environmentOf, type Init } from "./draft.ts";
import { ANSWERS_WITHIN_MS, listWithin, noAnswer } from "./list-within.ts";

/** A way to a model. */
type Source =
  | { readonly kind: "local"; readonly provider: string; readonly models: readonly ListedModel[] }
  | { readonly kind: "key"; readonly provider: string }
  | { readonly kind: "own" }
  | { readonly kind: "none" };

/** Where a key is made. */
const KEY_PAGES: ReadonlyMap<string, string> = new Map([
  ["anthropic", "https://console.anthropic.com/settings/keys"],
  ["openai", "https://platform.openai.com/api-keys"],
  ["google", "https://aistudio.google.com/apikey"],
  ["openrouter", "https://openrouter.ai/settings/keys"],
]);

/** Settles the model: by the flag, else by questions; a key is checked by a real call. */
export async function askForModel(init: Init): Promise<void> {
  const { flags, asking } = init;
  if (flags.model !== null) return takeModel(init, flags.model);
  if (asking !== null) await choose(init, asking);
}

/** The model that a flag names. Throws why it cannot be used. */
async function takeModel(init: Init, name: string): Promise<void> {
  const { draft, config, clock, signal } = init;
  if (name === "none") return;
  const environment = environmentOf(init);
  const { provider, model } = parseModelName(name);
  const settings = { providers: config.providers, environment };
  const check = (limited: AbortSignal) => checkModel(name, settings, limited);
  const { isThere, access } = await runWithin(clock, ANSWERS_WITHIN_MS, signal, check, noAnswer(provider));
  if (isThere === false) {
    throw new HermesError("AGENT_MODELS_UNKNOWN", { provider, reason: `it has no model ${model}` });
  }
  draft.model = name;
  keepKey(init, access.keySource, access.apiKey);
}

async function choose(init: Init, asking: Asking): Promise<void> {
  const { output } = asking;
  output.line();
  output.line(output.colors.bold("Model"));
  for (;;) {
    const source = await asking.choose("Which model should answer?", await sourcesOf(init));
    if (source.kind === "none") {
      output.line("Without a model a stand-in answers, and says so. `hermes init` sets one later.");
      return;
    }
    if (source.kind === "own") {
      const own = await askOwnServer(init, asking);
      if (own === null) continue;
      init.draft.model = `${own.provider}/${await chooseModel(asking, own.models)}`;
      return;
    }
    const models = source.kind === "local" ? source.models : await modelsWithKey(init, asking, source.provider);
    if (models === null) continue;
    const model = await chooseModel(asking, models);
    init.draft.model = `${source.provider}/${model}`;
    return;
  }
}

/** What there is: servers on this machine first, then keys that are set, then the other providers. */
async function sourcesOf(init: Init): Promise<ListItem<Source>[]> {
  const { context, clock, signal } = init;
  using spinner = createSpinner(context.output, clock);
  spinner.spin("looking for model servers on this machine");
  const local = await findLocalServers(signal);
  const environment = environmentOf(init);
  const remote = [...BUILT_IN_SERVERS.keys()].filter((provider) => !LOCAL_SERVERS.has(provider));
  const setIn = (provider: string) => keyInEnvironment(provider, environment)?.variable ?? null;
  const isSet = (provider: string) => setIn(provider) !== null;
  return [
    ...local.map(({ provider, models }): ListItem<Source> => {
      const has =
        models.length === 0 ? "it has no model yet" : `on this machine: ${namesOf(models).slice(0, 3).join(", ")}`;
      return { value: { kind: "local", provider, models }, name: provider, facts: has };
    }),
    ...[...remote.filter(isSet), ...remote.filter((one) => !isSet(one))].map((provider): ListItem<Source> => {
      const facts = isSet(provider) ? `${setIn(provider)} is set` : "with a key of yours";
      return { value: { kind: "key", provider }, name: provider, facts };
    }),
    {
      value: { kind: "own" },
      name: "other",
      facts: "a server that speaks OpenAI's chat completions, at an address of yours",
    },
    { value: { kind: "none" }, name: "none", facts: "no model yet" },
  ];
}

/** The models of a provider that takes the key: the one that is set, else one that is typed. Null: another provider. */
async function modelsWithKey(init: Init, asking: Asking, provider: string): Promise<readonly ListedModel[] | null> {
  const { output } = asking;
  const set = keyInEnvironment(provider, environmentOf(init));
  const [first] = keyVariablesOf(provider);
  const variable = set?.variable ?? first;
  const page = KEY_PAGES.get(provider);
  let key = set?.key ?? "";
  for (;;) {
    if (key === "") {
      if (page !== undefined) output.line(`Keys are made at ${page}`);
      key = await asking.text(`The key for ${provider} (typed unseen; Enter alone goes back):`, { isUnseen: true });
      if (key === "") return null;
    }
    try {
      const models = await listed(init, provider, { variable, key });
      output.line(styled`${signOf(output, "ok")} ${provider} takes the key.`);
      keepKey(init, variable, key);
      return models;
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      init.signal.throwIfAborted();
      output.line(output.colors.yellow(error.message));
      output.line(error.hint);
      key = "";
    }
  }
}

async function listed(
  init: Init,
  provider: string,
  { variable, key }: { readonly variable: string; readonly key: string },
): Promise<readonly ListedModel[]> {
  const environment = { ...environmentOf(init), [variable]: key };
  const access = providerAccess(provider, { providers: init.config.providers, environment });
  return (await listWithin(init, { ...access, apiKey: key })) ?? [];
}

async function chooseModel(asking: Asking, models: readonly ListedModel[]): Promise<string> {
  const names = namesOf(models);
  if (names.length > 0) {
    return asking.choose(
      "Which one?",
      names.map((name) => ({ value: name, name })),
    );
  }
  for (;;) {
    const name = await asking.text("The model's name:");
    if (/^\S+$/.test(name)) return name;
  }
}

/** What is set in the `.env` or for this command alone has to be there when a gateway starts by itself, too. */
function keepKey({ config, draft }: Init, variable: string | null, key: string | null): void {
  if (variable === null || key === null || !/^[A-Z_]+$/.test(variable)) return;
  if (config.variables[variable] !== key) draft.variables.set(variable, key);
}

/** The names of those that can be talked to. */
function namesOf(models: readonly ListedModel[]): readonly string[] {
  return models.flatMap(({ id, talks }) => (talks ? [id] : []));
}

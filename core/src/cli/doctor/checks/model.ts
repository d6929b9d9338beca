import { createModelCatalogue } from "../../../agent/model-catalogue.ts";
import { parseModelName } from "../../../agent/model-name.ts";
import { LOCAL_SERVERS } from "../../../agent/provider-access.ts";
import { asHermesError } from "../../../base/errors.ts";
import { nearMiss } from "../../../base/near-miss.ts";
import { unpricedLimits } from "../../../host/unpriced-limits.ts";
import { type Check, type DoctorContext, type DoctorFinding, ofError, ok, problem, warning } from "../check.ts";

/** What starts a server on this machine, and what brings a model to it. */
const LOCAL_COMMANDS: Readonly<Record<string, { readonly start: string; readonly pull: string }>> = {
  ollama: { start: "ollama serve", pull: "ollama pull" },
  lmstudio: { start: "lms server start", pull: "lms get" },
};

export const modelCheck: Check = {
  name: "model",
  title: "Model",
  async run(context) {
    const config = context.checked?.config ?? null;
    const unpriced = config && unpricedLimits(config);
    return [...(await examined(context)), ...(unpriced === null ? [] : [ofError(unpriced, "warning")])];
  },
};

async function examined({ checked, model }: DoctorContext): Promise<DoctorFinding[]> {
  if (checked === null || checked.config === null) {
    return [ok("The model was not checked, because the config was not read.")];
  }
  const name = checked.config.model;
  if (name === null) {
    const hint = "Set `model` in the config, such as anthropic/claude-sonnet-4-5; `hermes init` asks for it.";
    return [warning("No model is set: a stand-in answers, which only says so.", hint)];
  }
  try {
    const answer = await model();
    if (answer === null || answer.isThere === null)
      return [ok(`The server of ${name} answers; it does not list its models.`)];
    const key = answer.access.keySource === null ? "" : ` with the key in ${answer.access.keySource}`;
    const models = answer.models ?? [];
    if (!answer.isThere)
      return [
        unknownModel(
          name,
          models.map(({ id }) => id),
        ),
      ];
    const said = models.find(({ id }) => `${answer.access.provider}/${id}` === name)?.facts;
    const { window } = createModelCatalogue(checked.config.models.known).factsOf(name, said);
    const reads = window === null ? "how much it reads is not known" : `it reads ${window.toLocaleString("en")} tokens`;
    return [ok(`${name} can be asked${key}; ${reads}.`)];
  } catch (error) {
    return [unreachable(name, error)];
  }
}

function unknownModel(name: string, models: readonly string[]): DoctorFinding {
  const { provider, model } = parseModelName(name);
  const meant = nearMiss(model, models);
  const some = models.slice(0, 5).join(", ");
  const listed = some === "" ? "It has none." : `It has ${some}${models.length > 5 ? " and others" : ""}.`;
  const pull = LOCAL_COMMANDS[provider]?.pull;
  const hint =
    meant !== null
      ? `Did you mean ${provider}/${meant}? Set \`model\` in the config.`
      : `${listed} ${pull === undefined ? "Set `model` in the config to one of them." : `Run \`${pull} ${model}\`.`}`;
  return problem(`${provider} has no model ${model}.`, hint);
}

function unreachable(name: string, error: unknown): DoctorFinding {
  const known = asHermesError(error);
  const [provider = ""] = name.split("/");
  const start = LOCAL_SERVERS.has(provider) ? LOCAL_COMMANDS[provider]?.start : undefined;
  if (known.code === "AGENT_MODELS_UNKNOWN" && start !== undefined) return problem(known.message, `Run \`${start}\`.`);
  return ofError(known);
}

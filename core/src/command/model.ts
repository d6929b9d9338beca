import { HermesError } from "../base/errors.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { ModelChoice } from "../model/model-choice.ts";
import type { Session } from "../model/session.ts";
import type { Command, CommandContext } from "./command.ts";

export const modelCommand: Command = {
  name: "model",
  description: "Show or choose the model of this session",
  category: "Session",
  aliases: ["models"],
  argumentHint: "[provider/model|default]",
  immediate: true,
  async run(place, argument) {
    const { models } = place;
    if (models === undefined) return { reply: "No model can be chosen here." };
    const current = await place.session();
    const wanted = argument.trim();
    if (wanted === "") return { reply: shown(place, models, current) };
    if (!mayChooseModel(place, current)) throw new HermesError("NOT_ALLOWED", {});
    if (wanted === "default") {
      if (current?.model != null) await place.store.sessions.setModel(current.id, null);
      return { reply: shown(place, models, current && { ...current, model: null }) };
    }
    return { reply: await choose(place, models, wanted, current) };
  },
};

/** Whether somebody may choose a model: in a chat that others read, operators; elsewhere whose session it is as well. */
export function mayChooseModel(
  { isOperator, isGuest, sender, user }: CommandContext,
  session: Session | null,
): boolean {
  if (isOperator) return true;
  return !isGuest && sender !== undefined && (session === null || session.user === user);
}

function shown(place: CommandContext, models: ModelChoice, session: Session | null): string {
  const model = session?.model ?? models.usual;
  if (model === null) {
    return `No model is set. \`${place.typed("model <provider>/<model>")}\` chooses one for this session.`;
  }
  const whose = session?.model == null ? ", as the config has it" : ", chosen for this session";
  const back = session?.model == null ? "" : `\n\`${place.typed("model default")}\` goes back to the config's.`;
  return `The model is **${escapeMarkdown(model)}**${whose}: ${models.describe(model)}.${back}`;
}

/** Gives the session a model, unless its provider says that there is none of that name. */
async function choose(
  place: CommandContext,
  models: ModelChoice,
  wanted: string,
  current: Session | null,
): Promise<string> {
  const name = fullName(wanted, current?.model ?? models.usual);
  const { isThere, whyUnknown, near } = await models.check(name);
  if (isThere === false) {
    const offered = near.map((one) => `\`${place.typed(`model ${one}`)}\``).join(", ");
    const [provider = ""] = name.split("/");
    const hint = offered === "" ? `\`hermes models ${provider}\` lists what it has.` : `Did you mean ${offered}?`;
    return `${provider} has no model ${escapeMarkdown(name.slice(provider.length + 1))}. ${hint}`;
  }
  const { id } = current ?? (await place.startSession());
  await place.store.sessions.setModel(id, name);
  const notes = whyUnknown === null ? "" : `\nCould not check whether it exists: ${escapeMarkdown(whyUnknown)}`;
  const next = `The next message goes to **${escapeMarkdown(name)}**: ${models.describe(name)}.`;
  return `${next}${notes}`;
}

/** A name without a provider means one of the provider in use. */
function fullName(wanted: string, inUse: string | null): string {
  const [provider] = inUse?.split("/") ?? [];
  return wanted.includes("/") || provider === undefined ? wanted : `${provider}/${wanted}`;
}

import { type Answer, askServer, unlisted } from "./ask-server.ts";
import { type ListedModel, readListed } from "./listed-model.ts";
import type { ProviderAccess } from "./provider-access.ts";

/** A server that has more pages than this does not end. */
const MOST_PAGES = 20;

/** A server's answer about its models. */
export interface ModelList {
  /** In the server's order; null when the server has no list. */
  readonly models: readonly ListedModel[] | null;
  /** When the server sent it by its own clock, in milliseconds since 1970; null when it did not say. */
  readonly sentAt: number | null;
}

/**
 * Lists a provider's models by a real call, which is free and shows whether the key is valid. Throws AGENT_KEY_REFUSED,
 * AGENT_MODELS_UNKNOWN, and the signal's reason when it aborts.
 */
export async function listModels(server: ProviderAccess, signal: AbortSignal): Promise<ModelList> {
  // OpenRouter's list is public; this request shows whether the key is valid.
  if (server.provider === "openrouter") await askServer(server, "/key", signal);
  const models: ListedModel[] = [];
  let sentAt: number | null = null;
  let page: string | null = firstPage(server);
  for (let pages = 0; page !== null && pages < MOST_PAGES; pages++) {
    const answer = await askServer(server, page, signal);
    sentAt ??= answer.sentAt;
    if (answer.status !== 200) return { models: null, sentAt };
    models.push(...modelsIn(server, answer));
    page = pageBehind(server, answer);
  }
  return { models, sentAt };
}

/**
 * Whether the provider has a model, under any name that it accepts. Anthropic's list leaves out model aliases, so there a
 * model that is not in the list is looked up by itself. Throws as `listModels` does.
 */
export async function hasModel(
  server: ProviderAccess,
  model: string,
  models: readonly ListedModel[],
  signal: AbortSignal,
): Promise<boolean> {
  // Ollama adds `:latest` to a name without a tag; Google takes a name with `models/` before it, too.
  const names = [model, `${model}:latest`, model.replace(/^models\//, "")];
  if (models.some(({ id }) => names.includes(id))) return true;
  if (server.protocol !== "anthropic") return false;
  return (await askServer(server, `/models/${encodeURIComponent(model)}`, signal)).status === 200;
}

function modelsIn({ provider, protocol, baseUrl }: ProviderAccess, { value }: Answer): ListedModel[] {
  const { data, models } = Object(value) as { readonly data?: unknown; readonly models?: unknown };
  // Some servers send the list itself.
  const list = Array.isArray(value) ? value : protocol === "google" ? models : data;
  if (!Array.isArray(list)) throw unlisted(provider, `what ${baseUrl} sends is no list of models`);
  return list.flatMap((one: unknown) => readListed(one) ?? []);
}

function firstPage({ protocol }: ProviderAccess): string {
  if (protocol === "anthropic") return "/models?limit=1000";
  return protocol === "google" ? "/models?pageSize=1000" : "/models";
}

function pageBehind(server: ProviderAccess, { value }: Answer): string | null {
  const { has_more, last_id, nextPageToken } = Object(value) as Readonly<Record<string, unknown>>;
  const next = (name: string, at: string) => `${firstPage(server)}&${name}=${encodeURIComponent(at)}`;
  if (server.protocol === "anthropic" && has_more === true && typeof last_id === "string")
    return next("after_id", last_id);
  if (server.protocol === "google" && typeof nextPageToken === "string" && nextPageToken !== "") {
    return next("pageToken", nextPageToken);
  }
  return null;
}

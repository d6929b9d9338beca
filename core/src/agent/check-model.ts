import { HermesError, reasonOf } from "../base/errors.ts";
import { createRedactor } from "../base/redact.ts";
import { isRefused } from "./model-fetch.ts";
import { parseModelName } from "./model-name.ts";
import {
  BUILT_IN_SERVERS,
  LOCAL_SERVERS,
  type ProviderAccess,
  type ProviderSettings,
  providerAccess,
} from "./model-provider.ts";

/** In bytes: a server that sends more is not a model server. */
const LIST_LIMIT = 16 * 1024 * 1024;

/** Milliseconds that a server on this machine may take to answer. */
const LOCAL_MS = 1_500;

/** How to call a provider's server. */
export interface ModelRequest {
  /** Null when the server needs no key. */
  readonly key: string | null;
  /** Ends with the API version, such as `/v1`. Optional for a built-in provider. */
  readonly baseUrl?: string | undefined;
  /** Defaults to the protocol of the provider of this name. */
  readonly protocol?: ProviderAccess["protocol"] | undefined;
  /** Where the key came from, for error messages. */
  readonly keySource?: string | null | undefined;
  readonly signal: AbortSignal;
}

/** A server's answer about its models. */
export interface ModelList {
  /** The models' ids, in the server's order; null when the server has no list. */
  readonly models: readonly string[] | null;
  /** When the server sent it by its own clock, in milliseconds since 1970; null when it did not say. */
  readonly sentAt: number | null;
}

/**
 * Lists a provider's models by a real call, which is free and shows whether the key is valid. Throws AGENT_KEY_REFUSED,
 * AGENT_MODELS_UNKNOWN, and the signal's reason when it aborts.
 */
export async function listModels(provider: string, request: ModelRequest): Promise<ModelList> {
  const server = serverOf(provider, request);
  // OpenRouter's list is public; this request shows whether the key is valid.
  if (provider === "openrouter") await ask(server, "/key");
  const { status, text, sentAt } = await ask(
    server,
    server.protocol === "anthropic" ? "/models?limit=1000" : "/models",
  );
  if (status !== 200) return { models: null, sentAt };
  const models = idsIn(text);
  if (models === null) throw unknown(provider, `what ${server.baseUrl} sends is no list of models`);
  return { models, sentAt };
}

/**
 * Whether the provider has a model, under any name that it accepts. Anthropic's list leaves out model aliases, so there a
 * model that is not in the list is looked up by itself. Throws as `listModels` does.
 */
export async function hasModel(
  provider: string,
  model: string,
  models: readonly string[],
  request: ModelRequest,
): Promise<boolean> {
  // Ollama adds `:latest` to a name without a tag; Google's list has `models/` before each name.
  if ([model, `${model}:latest`, `models/${model}`].some((name) => models.includes(name))) return true;
  const server = serverOf(provider, request);
  if (server.protocol !== "anthropic") return false;
  return (await ask(server, `/models/${encodeURIComponent(model)}`)).status === 200;
}

/** The result of checking a model by a real call. */
export interface CheckedModel extends ModelList {
  readonly access: ProviderAccess;
  /** Whether the provider has the model; null when its server has no list. */
  readonly isThere: boolean | null;
}

/**
 * Checks the model `name` (`<provider>/<model>`) by free calls. Throws AGENT_MODEL_INVALID, AGENT_PROVIDER_UNKNOWN,
 * AGENT_KEY_MISSING, and as `listModels` does.
 */
export async function checkModel(
  name: string,
  settings: Pick<ProviderSettings, "providers" | "environment">,
  signal: AbortSignal,
): Promise<CheckedModel> {
  const { provider, model } = parseModelName(name);
  const access = providerAccess(provider, settings);
  const { apiKey: key, baseUrl, protocol, keySource } = access;
  const request = { key, baseUrl, protocol, keySource, signal };
  const list = await listModels(provider, request);
  return { ...list, access, isThere: list.models && (await hasModel(provider, model, list.models, request)) };
}

/** A model server that runs on this machine. */
export interface LocalServer {
  /** `ollama` or `lmstudio`. */
  readonly provider: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
}

/** Looks for Ollama and LM Studio at their default addresses. Throws only the signal's reason. */
export async function findLocalServers(
  signal: AbortSignal,
  addresses: ReadonlyMap<string, string> = LOCAL_SERVERS,
): Promise<readonly LocalServer[]> {
  const found = [...addresses].map(async ([provider, baseUrl]): Promise<LocalServer[]> => {
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(LOCAL_MS)]);
      const { models } = await listModels(provider, { key: null, baseUrl, signal: within });
      return models === null ? [] : [{ provider, baseUrl, models }];
    } catch {
      signal.throwIfAborted();
      return [];
    }
  });
  return (await Promise.all(found)).flat();
}

interface Server extends Required<ModelRequest> {
  readonly provider: string;
  readonly baseUrl: string;
  readonly protocol: ProviderAccess["protocol"];
}

function serverOf(provider: string, request: ModelRequest): Server {
  const baseUrl = request.baseUrl ?? BUILT_IN_SERVERS.get(provider);
  if (baseUrl === undefined) {
    throw new HermesError("AGENT_PROVIDER_UNKNOWN", { provider, known: [...BUILT_IN_SERVERS.keys()].join(", ") });
  }
  const protocol = request.protocol ?? (provider === "anthropic" ? "anthropic" : "compatible");
  const { key, keySource = null, signal } = request;
  return { provider, protocol, key, keySource, signal, baseUrl: baseUrl.replace(/\/+$/, "") };
}

interface Answer {
  /** 404 also stands for 405 and 501. */
  readonly status: 200 | 404;
  readonly text: string;
  readonly sentAt: number | null;
}

async function ask(server: Server, path: string): Promise<Answer> {
  const { provider, baseUrl, key, keySource, signal } = server;
  const { response, text } = await fetched(server, path);
  const sentAt = Date.parse(response.headers.get("date") ?? "");
  const answer = { text, sentAt: Number.isNaN(sentAt) ? null : sentAt };
  const { status } = response;
  signal.throwIfAborted();
  if (status === 200) return { ...answer, status };
  if (status === 404 || status === 405 || status === 501) return { ...answer, status: 404 };
  const said = `HTTP ${status}${wordsOf(text, key)}`;
  if (status === 401 || status === 403) {
    const what = key === null ? "a request without a key" : keySource === null ? "the key" : `the key in ${keySource}`;
    throw new HermesError("AGENT_KEY_REFUSED", { provider, key: what, reason: said });
  }
  if (status === 429) throw unknown(provider, `it asks to wait, or the account has used up its quota (${said})`);
  throw unknown(provider, `${new URL(baseUrl).host} answered ${said}`);
}

async function fetched({ provider, protocol, baseUrl, key, signal }: Server, path: string) {
  const headers: Record<string, string> = { accept: "application/json" };
  if (protocol === "anthropic") headers["anthropic-version"] = "2023-06-01";
  if (key !== null) headers[protocol === "anthropic" ? "x-api-key" : "authorization"] = withScheme(protocol, key);
  try {
    // A redirect is not followed: its target would get the key.
    const response = await fetch(`${baseUrl}${path}`, { headers, signal, redirect: "manual" });
    return { response, text: await textOf(response) };
  } catch (error) {
    signal.throwIfAborted();
    if (isRefused(error)) throw unknown(provider, `nobody listens at ${new URL(baseUrl).origin}`);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw unknown(provider, createRedactor(key === null ? [] : [key])(reasonOf(cause)));
  }
}

function withScheme(protocol: ProviderAccess["protocol"], key: string): string {
  return protocol === "anthropic" ? key : `Bearer ${key}`;
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > LIST_LIMIT) throw new Error("its answer is too long to be a list of models");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The ids in `{"data": [{"id": "…"}]}`; null for anything else. */
function idsIn(text: string): string[] | null {
  const { data } = Object(parsed(text)) as { readonly data?: unknown };
  if (!Array.isArray(data)) return null;
  return data.flatMap((model: unknown) => {
    const { id } = Object(model) as { readonly id?: unknown };
    return typeof id === "string" ? [id] : [];
  });
}

/** The message in a server's error answer: `{"error": {"message": "…"}}`. */
function wordsOf(text: string, key: string | null): string {
  const { error } = Object(parsed(text)) as { readonly error?: unknown };
  const { message = error } = Object(error) as { readonly message?: unknown };
  if (typeof message !== "string") return "";
  const redact = createRedactor(key === null ? [] : [key]);
  return `: ${redact(reasonOf(message)).slice(0, 200)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function unknown(provider: string, reason: string): HermesError {
  return new HermesError("AGENT_MODELS_UNKNOWN", { provider, reason });
}

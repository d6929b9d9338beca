import { HermesError, reasonOf } from "../base/errors.ts";
import { createRedactor } from "../base/redact.ts";
import { isRefused } from "./model-fetch.ts";
import type { ProviderAccess } from "./provider-access.ts";

/** In bytes: a server that sends more is not a model server. */
const ANSWER_LIMIT = 16 * 1024 * 1024;

export interface Answer {
  /** 404 also stands for 405 and 501. */
  readonly status: 200 | 404;
  /** The JSON it sent; null where it is none. */
  readonly value: unknown;
  /** When the server sent it by its own clock, in milliseconds since 1970; null when it did not say. */
  readonly sentAt: number | null;
}

/**
 * Sends a GET to a provider's server, which costs nothing. Throws AGENT_KEY_REFUSED, AGENT_MODELS_UNKNOWN, and the signal's
 * reason when it aborts.
 */
export async function askServer(server: ProviderAccess, path: string, signal: AbortSignal): Promise<Answer> {
  const { provider, baseUrl, apiKey, keySource } = server;
  const { response, text } = await fetched(server, path, signal);
  signal.throwIfAborted();
  const sentAt = Date.parse(response.headers.get("date") ?? "");
  const value = parsed(text);
  const answer = { value, sentAt: Number.isNaN(sentAt) ? null : sentAt };
  const { status } = response;
  if (status === 200) return { ...answer, status };
  if (status === 404 || status === 405 || status === 501) return { ...answer, status: 404 };
  const said = `HTTP ${status}${wordsOf(value, apiKey)}`;
  // Google answers 400 to a key that it does not know.
  if (status === 401 || status === 403 || (status === 400 && /API_KEY_INVALID|API key not valid/.test(text))) {
    const what =
      apiKey === null ? "a request without a key" : keySource === null ? "the key" : `the key in ${keySource}`;
    throw new HermesError("AGENT_KEY_REFUSED", { provider, key: what, reason: said });
  }
  if (status === 429) throw unlisted(provider, `it asks to wait, or the account has used up its quota (${said})`);
  throw unlisted(provider, `${new URL(baseUrl).host} answered ${said}`);
}

/** AGENT_MODELS_UNKNOWN with its reason. */
export function unlisted(provider: string, reason: string): HermesError {
  return new HermesError("AGENT_MODELS_UNKNOWN", { provider, reason });
}

async function fetched({ provider, protocol, baseUrl, apiKey }: ProviderAccess, path: string, signal: AbortSignal) {
  const bare = baseUrl.replace(/\/+$/, "");
  const headers: Record<string, string> = { accept: "application/json" };
  if (protocol === "anthropic") headers["anthropic-version"] = "2023-06-01";
  if (apiKey !== null) {
    const [name, value] = keyHeader(protocol, apiKey);
    headers[name] = value;
  }
  try {
    // A redirect is not followed: its target would get the key.
    const response = await fetch(`${bare}${path}`, { headers, signal, redirect: "manual" });
    return { response, text: await textOf(response) };
  } catch (error) {
    signal.throwIfAborted();
    if (isRefused(error)) throw unlisted(provider, `nobody listens at ${new URL(baseUrl).origin}`);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw unlisted(provider, createRedactor(apiKey === null ? [] : [apiKey])(reasonOf(cause)));
  }
}

function keyHeader(protocol: ProviderAccess["protocol"], key: string): readonly [string, string] {
  switch (protocol) {
    case "anthropic":
      return ["x-api-key", key];
    case "google":
      return ["x-goog-api-key", key];
    default:
      return ["authorization", `Bearer ${key}`];
  }
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > ANSWER_LIMIT) throw new Error("its answer is too long to be a list of models");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The message in a server's error answer: `{"error": {"message": "…"}}`. */
function wordsOf(value: unknown, key: string | null): string {
  const { error } = Object(value) as { readonly error?: unknown };
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

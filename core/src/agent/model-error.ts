import { HermesError, reasonOf } from "../base/errors.ts";
import { createRedactor } from "../base/redact.ts";
import { BROKE_OFF } from "./model-fetch.ts";
import type { ResolvedModel } from "./model-provider.ts";

/** The maximum length of a reason, in UTF-16 units. */
const REASON_LIMIT = 300;

/** How providers say, or name in a code, that a request is longer than the model's window. */
const CONTEXT_FULL =
  /context.?length|context.?window|context.?size|context limit|maximum context|prompt is too long|input is too long|too many (input )?tokens|input token count|maximum prompt length|model token limit|exceed\w* (the )?(available )?context|request_too_large/i;

/** How they say how many tokens the model reads. */
const READS =
  /maximum (?:context|prompt) length is (\d+)|> (\d+) maximum|tokens allowed \((\d+)\)|context size \((\d+)|token limit: (\d+)/i;

const MODEL_GONE = /model_not_found|is not a valid model|no endpoints found/i;
const KEY_REFUSED = /API_KEY_INVALID|API key not valid|invalid_api_key|authentication_error/;
const QUOTA = /insufficient_quota|insufficient balance|credit balance is too low|rate_limit|quota/i;
const OVERLOADED = /overloaded|server_error|internal_error|UNAVAILABLE/;

/** The HTTP statuses that refuse what a request says: not understood, a type that is not supported, not to be processed. */
const CONTENT_REFUSED: readonly number[] = [400, 415, 422];

/** How the SDK says that the server closed the connection before it had said all. */
const NO_END = /ended without a finish reason/;

type Server = Pick<ResolvedModel, "provider" | "keySource" | "apiKey">;

/**
 * Converts an error of a provider or the network to an AGENT_… error. Its reason contains no key. The original is not kept
 * as the cause: it carries the whole request, with transcript and headers.
 */
export function toAgentError(thrown: unknown, name: string, server: Server): HermesError {
  const own = ownErrorIn(thrown);
  if (own !== null) return own;
  const failure = describe(thrown);
  const { status, words, text } = failure;
  // Of a server that is out of order, no word counts.
  const says = (pattern: RegExp) => (status === null || status < 500) && pattern.test(words);
  if (status === 413 || says(CONTEXT_FULL)) return contextFull(name, words);

  const { provider, keySource, apiKey } = server;
  const redact = createRedactor(apiKey === null ? [] : [apiKey]);
  const said = redact(text)
    .replaceAll(/\bsk-[\w*.…-]+/g, "[redacted]")
    .slice(0, REASON_LIMIT);
  const reason = status === null ? said : `HTTP ${status}: ${said}`;
  if (status === 404 || says(MODEL_GONE)) {
    return new HermesError("AGENT_MODEL_GONE", { provider, model: name.slice(name.indexOf("/") + 1), reason });
  }
  if (status === 429 || status === 402 || says(QUOTA)) return new HermesError("AGENT_LIMITED", { provider, reason });
  if (status === 401 || status === 403 || says(KEY_REFUSED)) {
    const key = keySource === null ? "a request without a key" : `the key in ${keySource}`;
    return new HermesError("AGENT_KEY_REFUSED", { provider, key, reason });
  }
  if (status === null ? OVERLOADED.test(words) : status >= 500) {
    return new HermesError("AGENT_OVERLOADED", { provider, reason });
  }
  if (failure.isNetwork) return new HermesError("AGENT_UNREACHABLE", { provider, reason });
  const answered = status === null ? `${provider}: ${said}` : `${provider} answered ${reason}`;
  return new HermesError("AGENT_FAILED", { reason: answered });
}

/** With `window`, in tokens, where the provider says it. */
function contextFull(model: string, words: string): HermesError {
  const told = READS.exec(words)
    ?.slice(1)
    .find((found) => found !== undefined);
  const fields = told === undefined ? { model } : { model, window: Number(told) };
  return new HermesError("AGENT_CONTEXT_FULL", fields);
}

/** What a provider answered that refuses the content of a request for another reason than its length; null otherwise. */
export function refusalOf(thrown: unknown, name: string, server: Server): string | null {
  if (ownErrorIn(thrown) !== null || !CONTENT_REFUSED.includes(describe(thrown).status ?? 0)) return null;
  const { code, fields } = toAgentError(thrown, name, server);
  return code === "AGENT_FAILED" ? String(fields.reason) : null;
}

/** Finds a HermesError that the SDK passed on or wrapped in one of its own errors. */
function ownErrorIn(thrown: unknown): HermesError | null {
  if (thrown instanceof HermesError) return thrown;
  return thrown instanceof Error && thrown.cause instanceof HermesError ? thrown.cause : null;
}

/** Why a request can be sent again; null where that would not help. */
export function temporaryReason(thrown: unknown): string | null {
  const own = ownErrorIn(thrown);
  if (own !== null) return own.fields.reason === BROKE_OFF ? "the connection broke off" : null;
  const { status, words, isNetwork } = describe(thrown);
  if (/insufficient_quota/.test(words)) return null;
  if (status === 429) return "the provider asks to wait";
  if (status !== null)
    return status >= 500 || status === 408 || status === 409 ? `the provider answered HTTP ${status}` : null;
  if (isNetwork) return "the provider cannot be reached";
  return OVERLOADED.test(words) ? "the provider is overloaded" : null;
}

interface Failure {
  /** The HTTP status, if there was an answer. */
  readonly status: number | null;
  /** What it says, on one line. */
  readonly text: string;
  /** All that it says, the codes of the protocol included: to be searched, not to be shown. */
  readonly words: string;
  /** Whether the connection did not come about, or broke off. */
  readonly isNetwork: boolean;
}

/** Reads any error: of several attempts, the last one; a provider's error within a stream is a plain object. */
function describe(thrown: unknown): Failure {
  if (!isRecord(thrown)) return { status: null, text: reasonOf(thrown), words: String(thrown), isNetwork: false };
  if (thrown.lastError !== undefined) return describe(thrown.lastError);
  const status = typeof thrown.statusCode === "number" ? thrown.statusCode : null;
  const message = typeof thrown.message === "string" ? reasonOf(new Error(thrown.message)) : null;
  const text = message ?? (isRecord(thrown.error) ? describe(thrown.error).text : reasonOf(JSON.stringify(thrown)));
  const codes = [thrown.responseBody, thrown.data, thrown.code, thrown.type, thrown.error].map(asText);
  const isNetwork = status === null && (isTransport(thrown) || isTransport(thrown.cause) || NO_END.test(text));
  return { status, text, words: [text, ...codes].join("\n"), isNetwork };
}

/** Whether an error is of `fetch`, whose are TypeErrors, or of a socket, whose have a code. */
function isTransport(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof TypeError || /^(E|UND_ERR_)[A-Z_]+$/.test(asText((error as NodeJS.ErrnoException).code));
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

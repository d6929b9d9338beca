import { HermesError, reasonOf } from "../base/errors.ts";
import { createRedactor } from "../base/redact.ts";
import type { ResolvedModel } from "./model-provider.ts";

/** The maximum length of a reason, in UTF-16 units. */
const REASON_LIMIT = 300;

const CONTEXT_FULL =
  /context.?length|context.?window|context.?size|maximum context|prompt is too long|input is too long|too many (input )?tokens|exceed\w* (the )?(available )?context/i;

/**
 * Converts an error of a provider or the network to AGENT_CONTEXT_FULL or AGENT_FAILED. The reason contains no key. The
 * original is not kept as the cause: it carries the whole request, with transcript and headers.
 */
export function toAgentError(thrown: unknown, name: string, resolved: Omit<ResolvedModel, "model">): HermesError {
  const own = ownErrorIn(thrown);
  if (own !== null) return own;
  const failure = describe(thrown);
  if (CONTEXT_FULL.test(failure.text) && (failure.status === null || failure.status < 500)) {
    return new HermesError("AGENT_CONTEXT_FULL", { model: name });
  }
  const redact = createRedactor(resolved.apiKey === null ? [] : [resolved.apiKey]);
  const said = redact(failure.text)
    .replaceAll(/\bsk-[\w*.…-]+/g, "[redacted]")
    .slice(0, REASON_LIMIT);
  return new HermesError("AGENT_FAILED", { reason: reasonFor(failure.status, said, resolved) });
}

/** Finds a HermesError that the SDK passed on or wrapped in one of its own errors. */
export function ownErrorIn(thrown: unknown): HermesError | null {
  if (thrown instanceof HermesError) return thrown;
  return thrown instanceof Error && thrown.cause instanceof HermesError ? thrown.cause : null;
}

function reasonFor(status: number | null, said: string, { provider, keySource }: Omit<ResolvedModel, "model">): string {
  if (status === 401 || status === 403) {
    const key = keySource === null ? "a request without a key" : `the key in ${keySource}`;
    return `${provider} does not accept ${key} (HTTP ${status}: ${said})`;
  }
  if (status === 429) return `${provider} asks to wait, or the account has used up its quota (HTTP 429: ${said})`;
  return status === null ? `${provider}: ${said}` : `${provider} answered HTTP ${status}: ${said}`;
}

interface Failure {
  /** The HTTP status, if there was an answer. */
  readonly status: number | null;
  /** On one line. */
  readonly text: string;
}

/** Reads any error: of several attempts, the last one; a provider's error within a stream is a plain object. */
function describe(thrown: unknown): Failure {
  if (!isRecord(thrown)) return { status: null, text: reasonOf(thrown) };
  if (thrown.lastError !== undefined) return describe(thrown.lastError);
  const status = typeof thrown.statusCode === "number" ? thrown.statusCode : null;
  const message = typeof thrown.message === "string" ? reasonOf(new Error(thrown.message)) : null;
  const text = message ?? (isRecord(thrown.error) ? describe(thrown.error).text : reasonOf(JSON.stringify(thrown)));
  return { status, text };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

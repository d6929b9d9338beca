import type { ServerResponse } from "node:http";
import type { FailureKind, FailureScript } from "./failure-script.ts";
import { answerJson } from "./loopback-server.ts";

/** A platform API's error answer. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}: ${JSON.stringify(body)}`);
    this.name = "ApiRefusal";
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** What a proxy answers that has heard nothing sensible from the server behind it. */
class BadGateway extends ApiRefusal {
  constructor() {
    super(502, "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>");
  }
}

/** Makes the platform's own errors for scripted failures. */
export interface FailureWords {
  rateLimit(retryAfterMs: number): Error;
  refuse(code: string): Error;
  /** The server cannot for now, so nothing is done: 503, unless the platform has something else for it. */
  break(): Error;
  /** An internal error, which leaves open whether the call was done; 500 and nothing else unless given. */
  breakAfter?(): Error;
}

/** The client at the other end of an answer. */
export interface ApiClient {
  /** Aborts when the client disconnects before it was answered. */
  readonly signal: AbortSignal;
  /** Cuts its connection. */
  cut(): void;
}

/** Returns the client behind a response: whether it has gone, and a way to cut its connection. */
export function clientOf(response: ServerResponse): ApiClient {
  const gone = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return { signal: gone.signal, cut: () => void response.destroy() };
}

/**
 * Runs a call as the scripted failure demands: at once, late, not at all, or without an answer. Throws the failure's
 * error from `words`, and what `run` throws.
 */
export async function playCall<T>(
  failure: FailureKind | null,
  {
    script,
    client,
    words,
  }: { readonly script: FailureScript; readonly client: ApiClient; readonly words: FailureWords },
  run: () => T | Promise<T>,
): Promise<T> {
  switch (failure?.is) {
    case "rate-limit":
      throw words.rateLimit(failure.retryAfterMs);
    case "refuse":
      throw words.refuse(failure.code);
    case "break":
      throw words.break();
    case "disconnect":
      client.cut();
      throw words.break();
    case "hang":
      await script.untilHealed(client.signal);
      // If the client has disconnected, the call has no effect.
      if (client.signal.aborted) throw words.break();
  }
  const result = await run();
  if (failure?.is === "drop-answer") client.cut();
  if (failure?.is === "break-after") throw words.breakAfter?.() ?? new ApiRefusal(500, {});
  if (failure?.is === "bad-gateway") throw new BadGateway();
  return result;
}

/** As JSON, or as a page where the body is a text. */
export function answerRefusal(response: ServerResponse, { status, body, headers }: ApiRefusal): void {
  if (typeof body !== "string") answerJson(response, status, body, headers);
  else if (!response.headersSent && !response.destroyed) {
    response.writeHead(status, { "content-type": "text/html", ...headers }).end(body);
  }
}

/**
 * Answers a call with its result as JSON, unless `run` has answered already, or with the ApiRefusal that it throws.
 * Resolves to the status, for the log.
 */
export async function answerCall(response: ServerResponse, run: () => Promise<unknown>): Promise<number> {
  try {
    const result = await run();
    answerJson(response, 200, result);
    return response.statusCode;
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    answerRefusal(response, error);
    return error.status;
  }
}

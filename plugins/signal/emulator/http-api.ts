import type { IncomingMessage, ServerResponse } from "node:http";
import { shorten } from "@hermes/core";
import {
  type ApiClient,
  ApiRefusal,
  answerJson,
  answerRefusal,
  clientOf,
  type FailureScript,
  type FailureWords,
  playCall,
  type RequestLog,
  readBody,
} from "@hermes/emulator";
import type { EventFeed } from "./event-feed.ts";
import { METHODS, operationsOf } from "./methods.ts";
import { Params } from "./params.ts";
import { invalidParams, methodNotFound, Refusal } from "./refusal.ts";
import { refuseAs } from "./sending.ts";
import type { World } from "./world.ts";

export interface HttpApiParts {
  readonly world: World;
  readonly feed: EventFeed;
  readonly script: FailureScript;
  readonly requests: RequestLog;
}

/** Bytes that the emulator reads of a call; the daemon reads any number. */
const MAX_BODY_BYTES = 64 * 1024 ** 2;

/** Characters of a text in a call, which signal-cli's parser of JSON has ("StreamReadConstraints.getMaxStringLength()"). */
const LONGEST_STRING = 20_000_000;

/** Characters that the log has of an attachment. */
const LONGEST_LOGGED = 300;

/** What the daemon was started as. */
export interface DaemonState {
  /** The accounts it serves; null when it was started for one account with `-a`, and then it lists none. */
  accounts: readonly string[] | null;
  version: string;
  /** The program that answers at the address. */
  flavour: "signal-cli" | "signal-cli-rest-api" | "something else";
}

/** `POST /api/v1/rpc`, `GET /api/v1/events`, `GET /api/v1/check` (signal-cli-jsonrpc(5)). */
export class HttpApi {
  readonly #parts: HttpApiParts;
  readonly state: DaemonState;

  constructor(parts: HttpApiParts, state: DaemonState) {
    this.#parts = parts;
    this.state = state;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://emulator");
    const route = `${request.method} ${pathname}`;
    if (this.state.flavour !== "signal-cli") {
      const isAbout = this.state.flavour === "signal-cli-rest-api" && route === "GET /v1/about";
      if (isAbout) answerJson(response, 200, { versions: ["v1", "v2"], build: 2, mode: "normal" });
      else response.writeHead(404).end("404 page not found");
      return;
    }
    if (route === "GET /api/v1/check") response.writeHead(200).end();
    else if (route === "GET /api/v1/events") this.#answerEvents(request, response, searchParams.get("account"));
    else if (route === "POST /api/v1/rpc") await this.#answerRpc(request, response);
    else response.writeHead(/^\/api\/v1\/(?:rpc|events|check)$/.test(pathname) ? 405 : 404).end();
  }

  #answerEvents(request: IncomingMessage, response: ServerResponse, account: string | null): void {
    const failure = this.#parts.script.take("connect");
    const isServed = !account || this.state.accounts === null || this.state.accounts.includes(account);
    const status = failure ? 500 : isServed ? 200 : 400;
    this.#parts.requests.add("events", { account, lastEventId: request.headers["last-event-id"] ?? null }, status);
    if (failure?.is === "disconnect") response.destroy();
    else if (status !== 200) response.writeHead(status).end();
    else this.#parts.feed.open(request, response);
  }

  async #answerRpc(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.headers["content-type"]?.startsWith("application/json")) {
      response.writeHead(415).end();
      return;
    }
    const client = clientOf(response);
    const { value, raw } = await readBody(request, { maxBytes: MAX_BODY_BYTES });
    if (hasOverlongString(raw)) {
      // The parser throws, and nobody catches that but the server: the status is all one hears.
      response.writeHead(500).end();
      return;
    }
    const body = value as { method?: unknown; params?: unknown; id?: unknown } | null;
    const method = String(body?.method);
    try {
      const result = await this.#call(method, body?.params, client);
      this.#parts.requests.add(method, withoutContents(body?.params), 200);
      answerJson(response, 200, { jsonrpc: "2.0", result, id: body?.id ?? null });
    } catch (error) {
      if (error instanceof ApiRefusal) {
        this.#parts.requests.add(method, withoutContents(body?.params), error.status);
        answerRefusal(response, error);
        return;
      }
      if (!(error instanceof Refusal)) throw error;
      this.#parts.requests.add(method, withoutContents(body?.params), error.code);
      const data = error.response === undefined ? null : { response: error.response };
      answerJson(response, 200, {
        ...{ jsonrpc: "2.0", error: { code: error.code, message: error.message, data }, id: body?.id ?? null },
      });
    }
  }

  async #call(method: string, values: unknown, client: ApiClient): Promise<unknown> {
    const { world, script } = this.#parts;
    if (method === "version") return { version: this.state.version };
    if (method === "listAccounts") return this.#listAccounts();
    const params = new Params(values);
    this.#checkAccount(params.string("account"));
    const perform = METHODS[method];
    if (perform === undefined) throw methodNotFound();
    const failure = script.take(...operationsOf(method, params));
    const words: FailureWords = {
      rateLimit: (retryAfterMs) => refuseAs(world, params, "RATE_LIMIT_FAILURE", Math.ceil(retryAfterMs / 1000)),
      refuse: (code) => refuseAs(world, params, code),
      break: () => new ApiRefusal(503, "<html>503 Service Unavailable</html>"),
      breakAfter: () => new Refusal(-32603, "An internal server error has occurred."),
    };
    return playCall(failure, { script, client, words }, () => perform(world, params));
  }

  #listAccounts(): unknown {
    if (this.state.accounts === null) throw methodNotFound();
    return this.state.accounts.map((number) => ({ number }));
  }

  #checkAccount(account: string | undefined): void {
    const { accounts } = this.state;
    if (accounts === null) return;
    if (account === undefined && accounts.length !== 1) throw invalidParams("Method requires valid account parameter");
    if (account !== undefined && !accounts.includes(account)) throw invalidParams("Specified account does not exist");
  }
}

/** Whether a text of the call is longer than the parser takes. */
function hasOverlongString(raw: Buffer): boolean {
  if (raw.length <= LONGEST_STRING) return false;
  for (let from = raw.indexOf('"'); from >= 0; from = raw.indexOf('"', from + 1)) {
    const to = raw.indexOf('"', from + 1);
    if (to - from - 1 > LONGEST_STRING) return true;
  }
  return false;
}

/** The parameters of a call for the log: of an attachment, its beginning. */
function withoutContents(params: unknown): unknown {
  if (typeof params !== "object" || params === null || !("attachments" in params)) return params;
  const attachments = [params.attachments].flat().map((uri) => shorten(String(uri), LONGEST_LOGGED));
  return { ...params, attachments };
}

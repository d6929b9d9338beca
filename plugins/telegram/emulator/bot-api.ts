import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type ApiClient,
  answerCall,
  clientOf,
  type FailureScript,
  type FailureWords,
  playCall,
  type RequestLog,
  readBody,
} from "@hermes/emulator";
import { METHODS, OPERATIONS } from "./methods.ts";
import { Params } from "./params.ts";
import { badRequest, Refusal, scriptedRefusal, tooManyRequests, unauthorized, webhookIsActive } from "./refusal.ts";
import type { UpdateQueue } from "./update-queue.ts";
import type { World } from "./world.ts";

export interface BotApiParts {
  readonly world: World;
  readonly updates: UpdateQueue;
  readonly script: FailureScript;
  /** The only token that is accepted. */
  readonly token: string;
  readonly requests: RequestLog;
}

/** A call on its way. */
interface Call {
  readonly method: string;
  readonly params: Params;
  readonly client: ApiClient;
}

const WORDS: FailureWords = {
  rateLimit: tooManyRequests,
  refuse: scriptedRefusal,
  break: () => new Refusal(503, "Service Unavailable"),
  breakAfter: () => new Refusal(502, "Bad Gateway"),
};

/** The HTTP side of the Bot API ("Making requests"): `/bot<token>/<method>`, and `/file/bot<token>/<path>`. */
export class BotApi {
  readonly #parts: BotApiParts;

  constructor(parts: BotApiParts) {
    this.#parts = parts;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://emulator");
    const [, isFile, token = "", rest = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(pathname) ?? [];
    if (isFile) {
      this.#answerFile(response, token, rest);
      return;
    }
    const client = clientOf(response);
    const body = await readBody(request, { maxBytes: 51 * 1024 ** 2 });
    const status = await answerCall(response, async () => {
      if (token !== this.#parts.token) throw unauthorized();
      return { ok: true, result: await this.#call({ method: rest, params: new Params(body), client }) };
    });
    this.#parts.requests.add(rest, body.value, status);
  }

  #call(call: Call): Promise<unknown> {
    const { script } = this.#parts;
    const name = call.method.toLowerCase();
    const failure = script.take(OPERATIONS[name] ?? call.method, call.method);
    return playCall(failure, { script, client: call.client, words: WORDS }, () =>
      name === "getupdates" ? this.#getUpdates(call) : this.#perform(name, call.params),
    );
  }

  #perform(name: string, params: Params): unknown {
    const perform = METHODS[name];
    if (perform === undefined) throw new Refusal(404, "Not Found: method not found");
    return perform(this.#parts.world, params);
  }

  async #getUpdates({ params, client }: Call): Promise<unknown> {
    const { world, updates } = this.#parts;
    if (world.webhook !== "") throw webhookIsActive();
    const limit = params.number("limit") ?? 100;
    if (limit < 1 || limit > 100) throw badRequest("limit must be between 1 and 100");
    const allowed = params.list<string>("allowed_updates");
    if (allowed.length > 0) updates.allowed = allowed;
    return updates.poll({
      offset: params.number("offset"),
      limit,
      timeoutMs: (params.number("timeout") ?? 0) * 1000,
      signal: client.signal,
    });
  }

  #answerFile(response: ServerResponse, token: string, path: string): void {
    const { world, token: known } = this.#parts;
    const file = token === known ? [...world.files.values()].find((one) => one.path === path) : undefined;
    response.writeHead(file ? 200 : 404, { "content-type": "application/octet-stream" });
    response.end(file?.content ?? "");
  }
}

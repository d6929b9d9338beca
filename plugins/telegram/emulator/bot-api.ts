import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@hermes/core";
import {
  answerJson,
  createRequestLog,
  type EmulatorLogEntry,
  type FailureKind,
  type FailureScript,
  type RequestBody,
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
  readonly clock: Clock;
}

/** A call on its way. */
interface Call {
  readonly method: string;
  readonly params: Params;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Cuts the client's connection. */
  cut(): void;
}

/** The HTTP side of the Bot API ("Making requests"): `/bot<token>/<method>`, and `/file/bot<token>/<path>`. */
export class BotApi {
  readonly #parts: BotApiParts;
  readonly #requests;

  constructor(parts: BotApiParts) {
    this.#parts = parts;
    this.#requests = createRequestLog({ secrets: [parts.token], clock: parts.clock });
  }

  get log(): readonly EmulatorLogEntry[] {
    return this.#requests.entries;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://emulator");
    const [, isFile, token = "", rest = ""] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(pathname) ?? [];
    if (isFile) {
      this.#answerFile(response, token, rest);
      return;
    }
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const body = await readBody(request);
    const call: Call = {
      method: rest,
      params: new Params(body),
      signal: gone.signal,
      cut: () => void response.destroy(),
    };
    try {
      if (token !== this.#parts.token) throw unauthorized();
      const result = await this.#call(call);
      answerJson(response, 200, { ok: true, result });
      this.#note(rest, body, 200);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { errorCode, message: description, parameters } = error;
      const extra = Object.keys(parameters).length > 0 ? { parameters } : {};
      answerJson(response, errorCode, { ok: false, error_code: errorCode, description, ...extra });
      this.#note(rest, body, errorCode);
    }
  }

  #note(method: string, { value }: RequestBody, status: number): void {
    this.#requests.add(method, value, status);
  }

  async #call(call: Call): Promise<unknown> {
    const { script } = this.#parts;
    const name = call.method.toLowerCase();
    const failure = script.take(OPERATIONS[name] ?? call.method, call.method);
    await this.#play(failure, call);
    const result = name === "getupdates" ? await this.#getUpdates(call) : this.#perform(name, call.params);
    if (failure?.is === "drop-answer") call.cut();
    return result;
  }

  /** What happens to a call before it is done, or instead. */
  async #play(failure: FailureKind | null, { signal, cut }: Call): Promise<void> {
    switch (failure?.is) {
      case "rate-limit":
        throw tooManyRequests(failure.retryAfterMs);
      case "refuse":
        throw scriptedRefusal(failure.code);
      case "break":
        throw new Refusal(500, "Internal Server Error");
      case "disconnect":
        cut();
        throw new Refusal(500, "Internal Server Error: the connection was cut");
      case "hang":
        await this.#parts.script.untilHealed(signal);
    }
  }

  #perform(name: string, params: Params): unknown {
    const perform = METHODS[name];
    if (perform === undefined) throw new Refusal(404, "Not Found: method not found");
    return perform(this.#parts.world, params);
  }

  async #getUpdates({ params, signal }: Call): Promise<unknown> {
    const { world, updates } = this.#parts;
    if (world.webhook !== "") throw webhookIsActive();
    const limit = params.number("limit") ?? 100;
    if (limit < 1 || limit > 100) throw badRequest("limit must be between 1 and 100");
    return updates.poll({
      offset: params.number("offset"),
      limit,
      timeoutMs: (params.number("timeout") ?? 0) * 1000,
      signal,
    });
  }

  #answerFile(response: ServerResponse, token: string, path: string): void {
    const { world, token: known } = this.#parts;
    const file = token === known ? [...world.files.values()].find((one) => one.path === path) : undefined;
    response.writeHead(file ? 200 : 404, { "content-type": "application/octet-stream" });
    response.end(file?.content ?? "");
  }
}

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import {
  answerJson,
  createRequestLog,
  type EmulatorLogEntry,
  type FailureKind,
  type FailureScript,
  type RequestBody,
  readBody,
} from "@hermes/emulator";
import { type Call, Download, positionIn, type Route, sessionOf } from "./call.ts";
import type { Homeserver, Session } from "./homeserver.ts";
import { Refusal, scriptedRefusal, tooManyRequests, unknownToken, unrecognised } from "./refusal.ts";
import { timelineLimit } from "./routes/account.ts";
import { operationOf } from "./routes/rooms.ts";
import { buildSync } from "./sync.ts";
import type { Content } from "./wire.ts";

export interface ClientApiParts {
  readonly server: Homeserver;
  readonly routes: readonly Route[];
  readonly script: FailureScript;
  /** The user whose calls are logged, and fail where a script says so. */
  readonly botId: string;
  readonly secrets: readonly string[];
  /** Gets to see each call of the bot before it is answered, and after it was done. */
  readonly around: {
    before(name: string, call: Call): Promise<void>;
    after(name: string, call: Call, result: unknown): Promise<void>;
  };
}

/** What the calls are called in Hermes' words. */
const OPERATIONS: Readonly<Record<string, string>> = {
  redact: "deleteThread",
  joined_members: "home",
  sync: "connect",
};

/** The HTTP side of the client-server API. */
export class ClientApi {
  readonly #parts: ClientApiParts;
  readonly #requests;
  readonly #botSockets = new Set<Socket>();
  #waiting = 0;

  constructor(parts: ClientApiParts) {
    this.#parts = parts;
    this.#requests = createRequestLog({ secrets: parts.secrets, clock: parts.server.clock });
  }

  get log(): readonly EmulatorLogEntry[] {
    return this.#requests.entries;
  }

  /** Whether the bot waits for what happens. */
  get isBotWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** Cuts the bot's connections, and nobody else's. */
  cutBot(): void {
    for (const socket of this.#botSockets) socket.destroy();
    this.#botSockets.clear();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://emulator");
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const route = this.#find(request.method ?? "GET", pathname);
    const body = await bodyOf(request, route?.name);
    const caller = this.#callerOf(request);
    const call: Call = {
      server: this.#parts.server,
      params:
        route?.path
          .exec(pathname)
          ?.slice(1)
          .filter((part) => part !== undefined)
          .map(decodeURIComponent) ?? [],
      query,
      body,
      mediaType: request.headers["content-type"] ?? "application/octet-stream",
      caller: caller === "unknown" ? null : caller,
      signal: gone.signal,
    };
    const isBots = call.caller === null || call.caller.userId === this.#parts.botId;
    if (call.caller?.userId === this.#parts.botId) this.#note(request.socket);
    const name = route?.name ?? `${request.method} ${pathname}`;
    try {
      if (caller === "unknown") throw unknownToken(this.#parts.server.expired.has(tokenOf(request)));
      if (route === null) throw unrecognised();
      const result = isBots ? await this.#answerBot(route, call, response) : await this.#perform(route, call);
      if (result instanceof Download) {
        response.writeHead(200, { "content-type": result.mediaType });
        response.end(result.content);
      } else answerJson(response, 200, result);
      if (isBots) this.#requests.add(name, body.value, 200);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const wait = error.extra.retry_after_ms;
      const headers: Record<string, string> =
        typeof wait === "number" ? { "retry-after": String(Math.ceil(wait / 1000)) } : {};
      answerJson(response, error.status, error.body, headers);
      if (isBots) this.#requests.add(name, body.value, error.status);
    }
  }

  #find(method: string, path: string): Route | null {
    if (method === "GET" && /^\/_matrix\/client\/(?:v3|r0)\/sync$/.test(path)) return SYNC;
    return this.#parts.routes.find((route) => route.method === method && route.path.test(path)) ?? null;
  }

  #callerOf(request: IncomingMessage): Session | "unknown" | null {
    const token = tokenOf(request);
    return token === "" ? null : (this.#parts.server.sessions.get(token) ?? "unknown");
  }

  async #answerBot(route: Route, call: Call, response: ServerResponse): Promise<unknown> {
    const { script, around } = this.#parts;
    const operation = route.name === "send" ? operationOf(call) : (OPERATIONS[route.name] ?? route.name);
    const failure = script.take(operation, route.name);
    await this.#play(failure, call, response);
    await around.before(route.name, call);
    const result = await this.#perform(route, call);
    await around.after(route.name, call, result);
    if (failure?.is === "drop-answer") response.destroy();
    return result;
  }

  async #play(failure: FailureKind | null, { signal }: Call, response: ServerResponse): Promise<void> {
    switch (failure?.is) {
      case "rate-limit":
        throw tooManyRequests(failure.retryAfterMs);
      case "refuse":
        throw scriptedRefusal(failure.code);
      case "break":
        throw new Refusal(502, "M_UNKNOWN", "Bad Gateway");
      case "disconnect":
        response.destroy();
        throw new Refusal(502, "M_UNKNOWN", "The connection was cut");
      case "hang":
        await this.#parts.script.untilHealed(signal);
    }
  }

  async #perform(route: Route, call: Call): Promise<unknown> {
    return route === SYNC ? this.#sync(call) : route.answer(call);
  }

  /** Holds the answer back until there is something in it ("Syncing"). */
  async #sync(call: Call): Promise<Content> {
    const { server, botId } = this.#parts;
    const session = sessionOf(call);
    const since = positionIn(call.query.get("since"));
    const limit = timelineLimit(call.query.get("filter"));
    const timeUp = new AbortController();
    using _timer = server.clock.setTimer(Number(call.query.get("timeout") ?? 0), () => timeUp.abort());
    const ended = AbortSignal.any([call.signal, timeUp.signal]);
    const isBot = session.userId === botId;
    if (isBot) this.#waiting++;
    try {
      for (;;) {
        server.checkPosition(since);
        const { body, isEmpty } = buildSync(server, { session, since, limit });
        if (!isEmpty || since === null || ended.aborted) return body;
        await server.news(ended);
        if (!server.sessions.has(session.token)) throw unknownToken(server.expired.has(session.token));
      }
    } finally {
      if (isBot) this.#waiting--;
    }
  }

  #note(socket: Socket): void {
    if (this.#botSockets.has(socket)) return;
    this.#botSockets.add(socket);
    socket.on("close", () => this.#botSockets.delete(socket));
  }
}

const SYNC: Route = { method: "GET", path: /sync$/, name: "sync", answer: () => ({}) };

/** Empty without one. */
function tokenOf({ headers }: IncomingMessage): string {
  return /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
}

/** A file comes as it is; everything else is JSON. */
async function bodyOf(request: IncomingMessage, name: string | undefined): Promise<RequestBody> {
  if (name !== "upload") return readBody(request);
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return { raw: Buffer.concat(chunks), value: null, files: [] };
}

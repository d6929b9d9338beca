import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import {
  type ApiClient,
  answerCall,
  clientOf,
  type FailureScript,
  type FailureWords,
  playCall,
  type RequestBody,
  type RequestLog,
  readBody,
  readBytes,
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
  readonly requests: RequestLog;
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
  all_state: "home",
  sync: "connect",
};

const WORDS: FailureWords = {
  rateLimit: tooManyRequests,
  refuse: scriptedRefusal,
  break: () => new Refusal(503, "M_UNKNOWN", "Service Unavailable"),
  breakAfter: () => new Refusal(500, "M_UNKNOWN", "Internal server error"),
};

/** The HTTP side of the client-server API. */
export class ClientApi {
  readonly #parts: ClientApiParts;
  readonly #botSockets = new Set<Socket>();
  #waiting = 0;

  constructor(parts: ClientApiParts) {
    this.#parts = parts;
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
    const client = clientOf(response);
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
      signal: client.signal,
    };
    const isBots = call.caller === null || call.caller.userId === this.#parts.botId;
    if (call.caller?.userId === this.#parts.botId) this.#note(request.socket);
    const name = route?.name ?? `${request.method} ${pathname}`;
    const status = await answerCall(response, async () => {
      if (caller === "unknown") throw unknownToken(this.#parts.server.expired.has(tokenOf(request)));
      if (route === null) throw unrecognised();
      const result = isBots ? await this.#answerBot(route, call, client) : await this.#perform(route, call);
      if (!(result instanceof Download)) return result;
      response.writeHead(200, { "content-type": result.mediaType }).end(result.content);
    });
    if (isBots) this.#parts.requests.add(name, body.value, status);
  }

  #find(method: string, path: string): Route | null {
    if (method === "GET" && /^\/_matrix\/client\/(?:v3|r0)\/sync$/.test(path)) return SYNC;
    return this.#parts.routes.find((route) => route.method === method && route.path.test(path)) ?? null;
  }

  #callerOf(request: IncomingMessage): Session | "unknown" | null {
    const token = tokenOf(request);
    return token === "" ? null : (this.#parts.server.sessions.get(token) ?? "unknown");
  }

  #answerBot(route: Route, call: Call, client: ApiClient): Promise<unknown> {
    const { script, around } = this.#parts;
    const operation = route.name === "send" ? operationOf(call) : (OPERATIONS[route.name] ?? route.name);
    const failure = script.take(operation, route.name);
    return playCall(failure, { script, client, words: WORDS }, async () => {
      await around.before(route.name, call);
      const result = await this.#perform(route, call);
      await around.after(route.name, call, result);
      return result;
    });
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

/** Bytes that are read of a file; how many the server takes is for its route to say. */
const MOST_UPLOADED = 256 * 1024 ** 2;

/** A file comes as it is; everything else is JSON. */
async function bodyOf(request: IncomingMessage, name: string | undefined): Promise<RequestBody> {
  return name === "upload"
    ? { raw: await readBytes(request, MOST_UPLOADED), value: null, files: [] }
    : readBody(request);
}

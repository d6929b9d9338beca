import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type Answer,
  answerJson,
  type FailureKind,
  type FailureScript,
  type RequestLog,
  readBody,
} from "@hermes/emulator";
import { type ApiAnswer, type ApiCall, type ApiContext, type ApiRoute, ROUTES } from "./api.ts";
import type { EmulatedGateway } from "./gateway.ts";
import { Refusal, refusal, unauthorised } from "./refusal.ts";

export interface HttpApiParts {
  readonly api: ApiContext;
  readonly gateway: EmulatedGateway;
  readonly script: FailureScript;
  readonly log: RequestLog;
  readonly token: string;
}

const PREFIX = /^\/api\/v10(?=\/)/;

/** Close codes of the gateway, by which a script can turn a client away when it connects. */
const CLOSE_CODE = /^4\d{3}$/;

/** Answers requests of API v10, and serves the files of messages. */
export function createHttpApi(parts: HttpApiParts): Answer {
  return async (request, response) => {
    const url = new URL(request.url ?? "/", parts.api.baseUrl);
    const file = fileAt(parts.api, url.pathname);
    if (file) {
      response.writeHead(200, { "content-type": file.mediaType });
      response.end(file.content);
      return;
    }
    await answerCall(parts, request, response, url);
  };
}

async function answerCall(
  parts: HttpApiParts,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { api, gateway, script, log, token } = parts;
  const found = routeOf(request.method ?? "GET", url.pathname);
  const body = await readBody(request);
  const method = found ? `${found.route.method} ${found.route.path}` : `${request.method} ${url.pathname}`;
  const note = (status: number) => log.add(method, { ids: loggableIds(found), ...loggable(body.value) }, status);
  const answer = (status: number, value: unknown, headers: Record<string, string> = {}) => {
    note(status);
    // discord.js reads whatever says that it is JSON, and there is nothing in a 204.
    if (status === 204) response.writeHead(204).end();
    else answerJson(response, status, value, headers);
  };

  if (!found) return answer(404, { message: "404: Not Found", code: 0 });
  const { route, ids } = found;
  if (!route.isOpen && request.headers.authorization !== `Bot ${token}`) {
    const { status, body: words } = unauthorised();
    return answer(status, words);
  }
  const isConnect = route.path === "/gateway/bot";
  const failure = script.take(method, ...(isConnect ? ["connect"] : route.operation ? [route.operation] : []));
  if (failure?.is === "refuse" && isConnect && CLOSE_CODE.test(failure.code)) {
    gateway.refuseNext = Number(failure.code);
  } else if (failure) {
    const isDone = await play(failure, { script, answer, response, run: () => run(api, route, { ids, url, body }) });
    if (isDone) return note(0);
    if (response.headersSent) return;
  }
  const { status, value } = run(api, route, { ids, url, body });
  answer(status, value);
}

/** Does what the script says instead of answering; true when the client's connection was cut. */
async function play(
  failure: FailureKind,
  {
    script,
    answer,
    response,
    run,
  }: {
    readonly script: FailureScript;
    readonly answer: (status: number, value: unknown, headers?: Record<string, string>) => void;
    readonly response: ServerResponse;
    readonly run: () => unknown;
  },
): Promise<boolean> {
  switch (failure.is) {
    case "rate-limit": {
      const seconds = failure.retryAfterMs / 1000;
      const headers = { "retry-after": String(seconds), "x-ratelimit-scope": "user" };
      answer(429, { message: "You are being rate limited.", retry_after: seconds, global: false }, headers);
      return false;
    }
    case "refuse": {
      const { status, body } = refusal(Number(failure.code));
      answer(status, body);
      return false;
    }
    case "break":
      answer(500, { message: "500: Internal Server Error", code: 0 });
      return false;
    case "drop-answer":
      run();
      response.destroy();
      return true;
    case "hang":
      await script.untilHealed();
      response.destroy();
      return true;
    case "disconnect":
      response.destroy();
      return true;
    default:
      return false;
  }
}

function run(
  api: ApiContext,
  route: ApiRoute,
  { ids, url, body }: { readonly ids: readonly string[]; readonly url: URL; readonly body: ApiCall["body"] },
): ApiAnswer {
  try {
    return route.run(api, { ids, query: url.searchParams, body });
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, value: error.body };
    throw error;
  }
}

function routeOf(method: string, path: string): { readonly route: ApiRoute; readonly ids: readonly string[] } | null {
  if (!PREFIX.test(path)) return null;
  const parts = path.replace(PREFIX, "").split("/");
  for (const route of ROUTES) {
    const wanted = route.path.split("/");
    if (route.method !== method || wanted.length !== parts.length) continue;
    if (!wanted.every((part, at) => part === ":id" || part === parts[at])) continue;
    return { route, ids: parts.filter((_, at) => wanted[at] === ":id").map(decodeURIComponent) };
  }
  return null;
}

function fileAt({ world }: ApiContext, path: string) {
  const [, kind, id] = path.split("/");
  if (kind !== "attachments") return null;
  for (const { messages } of world.channels.values()) {
    for (const { attachments } of messages) {
      const file = attachments.find((one) => one.id === id);
      if (file) return file;
    }
  }
  return null;
}

/** The ids in a call's path; without the secret of an interaction. */
function loggableIds(found: ReturnType<typeof routeOf>): readonly string[] {
  if (found === null) return [];
  return found.route.isOpen ? found.ids.slice(0, 1) : found.ids;
}

/** A body as fields of the log's entry. */
function loggable(value: unknown): Record<string, unknown> {
  if (Array.isArray(value)) return { items: value };
  return typeof value === "object" && value !== null ? { ...value } : {};
}

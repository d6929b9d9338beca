import type { IncomingMessage, ServerResponse } from "node:http";
import {
  ApiRefusal,
  answerCall,
  answerJson,
  clientOf,
  type FailureScript,
  type FailureWords,
  playCall,
  type RequestLog,
  readBody,
} from "@hermes/emulator";
import { type ApiAnswer, type ApiContext, type ApiRoute, ROUTES } from "./api.ts";
import { LARGEST_BODY } from "./attachments.ts";
import type { EmulatedGateway } from "./gateway.ts";
import { rateLimited, refusal } from "./refusal.ts";

export interface HttpApiParts {
  readonly api: ApiContext;
  readonly gateway: EmulatedGateway;
  readonly script: FailureScript;
  readonly requests: RequestLog;
  readonly token: string;
}

const PREFIX = /^\/api\/v10(?=\/)/;

/** Close codes of the gateway, by which a script can turn a client away when it connects. */
const CLOSE_CODE = /^4\d{3}$/;

const WORDS: FailureWords = {
  rateLimit: rateLimited,
  refuse: (code) => refusal(Number(code)),
  break: () => new ApiRefusal(503, { message: "503: Service Unavailable", code: 0 }),
  breakAfter: () => new ApiRefusal(500, { message: "500: Internal Server Error", code: 0 }),
};

/** Answers a request of API v10, or gives a file of a message. */
export async function answerRequest(
  parts: HttpApiParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { api, gateway, script, requests, token } = parts;
  const url = new URL(request.url ?? "/", api.baseUrl());
  const file = fileAt(api, url.pathname);
  if (file) {
    response.writeHead(200, { "content-type": file.mediaType }).end(file.content);
    return;
  }
  const client = clientOf(response);
  const found = routeOf(request.method ?? "GET", url.pathname);
  const body = await readBody(request, { maxBytes: LARGEST_BODY });
  const method = found ? `${found.route.method} ${found.route.path}` : `${request.method} ${url.pathname}`;
  const status = await answerCall(response, async () => {
    if (!found) throw new ApiRefusal(404, { message: "404: Not Found", code: 0 });
    const { route, ids } = found;
    if (!route.isOpen && request.headers.authorization !== `Bot ${token}`) throw refusal(0);
    const isConnect = route.path === "/gateway/bot";
    let failure = script.take(method, ...(isConnect ? ["connect"] : route.operation ? [route.operation] : []));
    if (failure?.is === "refuse" && isConnect && CLOSE_CODE.test(failure.code)) {
      gateway.refuseNext = Number(failure.code);
      failure = null;
    }
    const answer = await playCall(failure, { script, client, words: WORDS }, () =>
      route.run(api, { ids, query: url.searchParams, body }),
    );
    return give(response, answer);
  });
  requests.add(method, { ids: loggableIds(found), ...loggable(body.value) }, status);
}

/** Answers with a status of the route's own. */
function give(response: ServerResponse, { status, value }: ApiAnswer): unknown {
  if (response.destroyed) return;
  // discord.js reads whatever says that it is JSON, and there is nothing in a 204.
  if (status === 204) response.writeHead(204).end();
  else answerJson(response, status, value);
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

import type { IncomingMessage, ServerResponse } from "node:http";
import {
  ApiRefusal,
  answerCall,
  clientOf,
  type FailureScript,
  type FailureWords,
  playCall,
  type RequestLog,
  readBody,
  readBytes,
} from "@hermes/emulator";
import { THREAD_METADATA } from "#src/source";
import { METHODS, type MethodContext } from "./methods.ts";
import { Params, Refusal } from "./params.ts";
import { APP } from "./workspace.ts";

export interface WebApiParts extends MethodContext {
  readonly tokens: { readonly bot: string; readonly app: string };
  readonly script: FailureScript;
  readonly requests: RequestLog;
  /** A ticket for a WebSocket. */
  newTicket(): string;
}

const WORDS: FailureWords = {
  rateLimit: (retryAfterMs) => {
    const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
    return new ApiRefusal(429, { ok: false, error: "ratelimited" }, { "retry-after": String(seconds) });
  },
  refuse: (code) => new Refusal(code),
  break: () => new ApiRefusal(503, { ok: false, error: "service_unavailable" }),
  breakAfter: () => new Refusal("fatal_error"),
};

/** Answers a request: a method of the Web API, or a file on its way in or out. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  parts: WebApiParts,
): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", parts.url);
  const [, area, , id] = pathname.split("/");
  if (area === "upload") return takeUpload(request, response, id ?? "", parts);
  if (area === "files-pri") return giveFile(request, response, pathname.split("/")[2] ?? "", parts);
  const method = pathname.split("/").at(-1) ?? "";
  const { value } = await readBody(request);
  await answerMethod(method, new Params(value), request, response, parts);
}

async function answerMethod(
  method: string,
  params: Params,
  request: IncomingMessage,
  response: ServerResponse,
  parts: WebApiParts,
): Promise<void> {
  const { script, requests, workspace } = parts;
  const client = clientOf(response);
  const failure = script.take(operationOf(method, params), method);
  const status = await answerCall(response, () =>
    playCall(failure, { script, client, words: WORDS }, () => {
      const result = call(method, params, request, parts);
      const { scopes, appScopes } = workspace;
      const own = method === "apps.connections.open" ? appScopes : scopes;
      response.setHeader("x-oauth-scopes", [...own].join(","));
      return { ok: true, ...result };
    }),
  );
  requests.add(method, params.all, status);
}

function call(method: string, params: Params, request: IncomingMessage, parts: WebApiParts): Record<string, unknown> {
  const needed = method === "apps.connections.open" ? "app" : "bot";
  checkToken(tokenOf(request, params), needed, parts.tokens);
  if (needed === "app") return openConnection(parts);
  const run = METHODS[method];
  if (run === undefined) throw new Refusal("unknown_method");
  return run(params, parts);
}

function openConnection(parts: WebApiParts): Record<string, unknown> {
  if (!parts.workspace.appScopes.has("connections:write")) {
    throw new Refusal("missing_scope", { needed: "connections:write", provided: "" });
  }
  return { url: socketUrl(parts) };
}

function socketUrl({ url, newTicket }: WebApiParts): string {
  return `${url.replace("http:", "ws:")}/link?ticket=${newTicket()}&app_id=${APP.appId}`;
}

function tokenOf(request: IncomingMessage, params: Params): string | undefined {
  return /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? params.optional("token");
}

function checkToken(token: string | undefined, needed: "bot" | "app", tokens: WebApiParts["tokens"]): void {
  if (token === undefined) throw new Refusal("not_authed");
  if (token === tokens[needed]) return;
  throw new Refusal(token === tokens.bot || token === tokens.app ? "not_allowed_token_type" : "invalid_auth");
}

/** What the calls do, in the words that every emulator has for it. */
function operationOf(method: string, params: Params): string {
  switch (method) {
    case "chat.postMessage":
      return params.text("metadata").includes(`"${THREAD_METADATA}"`) ? "createThread" : "send";
    case "files.completeUploadExternal":
      return "send";
    case "chat.update":
      return "edit";
    case "chat.delete":
      return "deleteThread";
    case "assistant.threads.setStatus":
      return "typing";
    case "conversations.info":
      return "home";
    case "apps.connections.open":
      return "connect";
    default:
      return method;
  }
}

/** The second step of an upload: the bytes, as they are. */
async function takeUpload(request: IncomingMessage, response: ServerResponse, id: string, parts: WebApiParts) {
  const upload = parts.uploads.get(id);
  const raw = await readBytes(request, upload?.length);
  const isWhole = upload !== undefined && raw.length === upload.length;
  if (isWhole) upload.content = raw;
  parts.requests.add("upload", { file: id, bytes: raw.length }, isWhole ? 200 : 400);
  response.writeHead(isWhole ? 200 : 400).end(isWhole ? `OK - ${raw.length}` : "");
}

/** Whoever has no right to a file is led to the page where people sign in. */
function giveFile(request: IncomingMessage, response: ServerResponse, id: string, parts: WebApiParts): void {
  const file = parts.workspace.files.get(id);
  const isAllowed = tokenOf(request, new Params({})) === parts.tokens.bot && parts.workspace.scopes.has("files:read");
  const status = file && isAllowed ? 200 : 302;
  parts.requests.add("download", { file: id }, status);
  if (!file || !isAllowed) response.writeHead(302, { location: `${parts.url}/sign-in` }).end();
  else response.writeHead(200, { "content-type": file.mediaType }).end(file.content);
}

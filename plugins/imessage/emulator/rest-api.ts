import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type ApiClient,
  ApiRefusal,
  answerCall,
  clientOf,
  type FailureScript,
  type FailureWords,
  playCall,
  type RequestBody,
  type RequestLog,
  readBody,
} from "@hermes/emulator";
import { refuseAs } from "./failures.ts";
import { Fields } from "./fields.ts";
import { serverError, unauthorized } from "./refusal.ts";
import { checkPrivateApi, isDownload, ROUTES, type Route } from "./routes.ts";
import type { World } from "./world.ts";

export interface RestApiParts {
  readonly world: World;
  readonly script: FailureScript;
  readonly requests: RequestLog;
  readonly isPassword: (password: string) => boolean;
}

/** Bytes that the emulator reads of a call; the server reads more. */
const MAX_BODY_BYTES = 256 * 1024 ** 2;

interface FoundRoute {
  readonly name: string;
  readonly route: Omit<Route, "path">;
  readonly guid: string;
}

/** The server's REST API. The password is a parameter of the address; no header is looked at. */
export class RestApi {
  readonly #parts: RestApiParts;

  constructor(parts: RestApiParts) {
    this.#parts = parts;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { world, requests, isPassword } = this.#parts;
    const client = clientOf(response);
    await world.mac.untilAwake();
    if (world.mac.state.power === "restarting") return client.cut();
    response.setHeader("date", new Date(world.database.now).toUTCString());
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://emulator");
    const found = routeOf(request.method ?? "GET", pathname);
    if (found === null) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("Not Found");
      return;
    }
    const body = await readBody(request, { maxBytes: MAX_BODY_BYTES });
    const status = await answerCall(response, async () => {
      const password = query.get("guid") ?? query.get("password") ?? query.get("token");
      if (password === null || !isPassword(password)) throw unauthorized();
      const result = await this.#play(found, body, query, client);
      if (!isDownload(result)) return { status: 200, message: "Success", ...Object(result) };
      const { content, mediaType, name } = result;
      const disposition = `attachment; filename="${name.replace(/[^\x20-\x7e]|["\\]/gu, "_")}"`;
      response.writeHead(200, { "content-type": mediaType, "content-disposition": disposition }).end(content);
      return undefined;
    });
    requests.add(found.name, logged(found, body, query), status);
  }

  #play({ name, route, guid }: FoundRoute, body: RequestBody, query: URLSearchParams, client: ApiClient) {
    const { script, world } = this.#parts;
    const failure = script.take("connect") ?? script.take(route.operation, name);
    const words: FailureWords = {
      rateLimit: () => serverError("Too many requests"),
      refuse: (code) => refuseAs(code, route.operation),
      break: () => new ApiRefusal(503, "<html>503 Service Unavailable</html>"),
      breakAfter: () => serverError("An unhandled error has occurred!"),
    };
    return playCall(failure, { script, client, words }, async () => {
      if (route.needsPrivateApi) checkPrivateApi(world);
      try {
        return await route.run(world, { guid, query, fields: new Fields(body.value), files: body.files });
      } catch (error) {
        // It has failed, but nobody is told so either.
        if (failure?.is === "drop-answer" && error instanceof ApiRefusal) client.cut();
        throw error;
      }
    });
  }
}

function routeOf(method: string, pathname: string): FoundRoute | null {
  const path = /^\/api\/v1\/(.+?)\/?$/.exec(pathname)?.[1];
  if (path === undefined) return null;
  const given = path.split("/");
  for (const [name, route] of Object.entries(ROUTES)) {
    const [wantedMethod, wantedPath = ""] = name.split(" ");
    const wanted = wantedPath.split("/");
    const isFit = wanted.every((part, at) => part === ":guid" || part === given[at]);
    if (wantedMethod !== method || wanted.length !== given.length || !isFit) continue;
    return { name, route, guid: decodeURIComponent(given[wanted.indexOf(":guid")] ?? "") };
  }
  return null;
}

/** What a call asked for: its body, the guid in its path, and its parameters without the password. */
function logged({ guid }: FoundRoute, { value, files }: RequestBody, query: URLSearchParams): unknown {
  const asked = [...query].filter(([name]) => !/^(?:guid|password|token)$/.test(name));
  const names = files.map(({ name }) => name);
  return {
    ...(guid === "" ? {} : { guid }),
    ...Object.fromEntries(asked),
    ...Object(value),
    ...(names.length > 0 ? { files: names } : {}),
  };
}

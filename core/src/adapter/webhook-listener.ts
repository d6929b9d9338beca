import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { KeptJson } from "../base/kept-json.ts";
import type { Logger } from "../base/logger.ts";
import { platformErrors } from "./platform-errors.ts";

/** Where a {@link WebhookListener} listens, and what it does with what comes. */
export interface WebhookListenerParts {
  /** The platform's name, as in the manifest. */
  readonly platform: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The only path that is answered, from its first slash; see {@link secretPath}. */
  readonly path: string;
  /** The IP addresses from which requests are taken; any where it is left out. */
  readonly from?: readonly string[] | undefined;
  /** The longest body, in bytes: 1 MiB where it is left out. */
  readonly largest?: number;
  readonly logger: Logger;
  /**
   * Takes the body of a POST as it came, and returns the status to answer, or nothing for 200. Check the platform's
   * signature first, and resolve when Hermes has kept what is in it: one that throws is answered 500.
   */
  readonly take: (body: Buffer, headers: IncomingHttpHeaders) => Promise<number | void>;
  /** Answers a GET, by which some platforms check the address: with a text, or null for 403. No GET is taken without it. */
  readonly greet?: (query: URLSearchParams) => string | null;
}

/** The longest body, in bytes. */
const LARGEST = 1024 * 1024;

/** How long a body may take to come, in milliseconds. */
const BODY_WITHIN_MS = 30_000;

/**
 * Listens for a platform's webhooks. TLS ends at the tunnel or proxy in front of it. Nothing is read of a request from
 * another address, to another path, or of one that is too long.
 *
 * @example
 * ```ts
 * const listener = new WebhookListener({
 *   ...{ platform: "pager", host, port, path: "/pager", logger: deps.logger },
 *   async take(body, headers) {
 *     if (!isSigned(body, headers["x-pager-signature"])) return 403;
 *     await receive(decode(JSON.parse(body.toString())));
 *   },
 * });
 * onStop(() => listener.close());
 * await api.call({ method: "PUT", path: "webhook", json: { url: await listener.open() }, signal });
 * ```
 */
export class WebhookListener {
  readonly #parts: WebhookListenerParts;
  readonly #server;

  constructor(parts: WebhookListenerParts) {
    this.#parts = parts;
    // Not loaded where nothing listens: a terminal does not need it to open a session.
    const { createServer } = process.getBuiltinModule("node:http");
    this.#server = createServer({ requestTimeout: BODY_WITHIN_MS }, (request, response) => {
      response.on("error", () => {});
      this.#answer(request, response).catch((error: unknown) => {
        parts.logger.warn({ error }, "a webhook could not be taken");
        end(response, 500);
      });
    });
  }

  /** Resolves with the address, path included. Throws PLATFORM_UNAVAILABLE when the port cannot be had. */
  async open(): Promise<string> {
    const { platform, host, port, path, logger } = this.#parts;
    const opened = Promise.withResolvers<void>();
    this.#server.on("error", (error: NodeJS.ErrnoException) => {
      const reason = `no webhook can be received: port ${port} of ${host} cannot be had (${error.code})`;
      opened.reject(platformErrors(platform).unavailable(reason));
      logger.warn({ code: error.code }, "the listener for webhooks is in trouble");
    });
    this.#server.listen(port, host, opened.resolve);
    await opened.promise;
    const { address, port: taken } = this.#server.address() as AddressInfo;
    return `http://${address.includes(":") ? `[${address}]` : address}:${taken}${path}`;
  }

  /** Closes every connection. What was not answered yet, a platform that repeats sends again. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, from, largest = LARGEST, logger, take, greet } = this.#parts;
    const sender = (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
    if (from !== undefined && !from.includes(sender)) {
      logger.warn({ sender }, "a webhook was refused: it does not come from one of the configured addresses");
      return end(response, 403);
    }
    const url = URL.parse(request.url ?? "/", "http://webhook");
    if (url === null || !isSameSecret(url.pathname, path)) return end(response, 404);
    if (request.method === "GET" && greet) {
      const greeting = greet(url.searchParams);
      return greeting === null ? end(response, 403) : end(response, 200, greeting);
    }
    if (request.method !== "POST") return end(response, 405);
    const body = await bodyOf(request, largest);
    end(response, body === null ? 413 : ((await take(body, request.headers)) ?? 200));
  }
}

/**
 * A path with a secret in it, for a platform that signs nothing: made once, and kept in the plugin's folder. `name` stands
 * before it: `/pager/…`.
 */
export function secretPath(folder: string, name: string): string {
  const file = new KeptJson<string>(join(folder, "webhook-secret.json"), { empty: "" });
  const secret = file.read() || randomBytes(24).toString("base64url");
  file.write(secret);
  return `/${name}/${secret}`;
}

/** Compares a word that somebody sent with the secret one, in a time that tells nothing of it but its length. */
export function isSameSecret(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The body; null when it is too long. */
function bodyOf(request: IncomingMessage, largest: number): Promise<Buffer | null> {
  if (Number(request.headers["content-length"] ?? 0) > largest) return Promise.resolve(null);
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= largest) return void chunks.push(chunk);
      // Not destroyed: the response still has to go out.
      request.pause();
      resolve(null);
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("close", () => {
      if (!request.complete) reject(new Error("the connection was closed before the whole request had come"));
    });
    request.on("error", reject);
  });
}

function end(response: ServerResponse, status: number, text = ""): void {
  if (response.headersSent || response.destroyed) return;
  // Never as HTML: a stranger may have written the text. What was not read of a refused request is not waited for.
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  response.writeHead(status, status < 400 ? headers : { ...headers, connection: "close" }).end(text);
}

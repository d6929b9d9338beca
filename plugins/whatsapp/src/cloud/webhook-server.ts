import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Logger } from "@hermes/core";
import { unavailable } from "../errors.ts";
import type { WebhookPayload } from "./wire.ts";

export interface WebhookServerParts {
  readonly webhook: { readonly host: string; readonly port: number; readonly path: string };
  readonly phoneNumberId: string;
  readonly appSecret: string;
  readonly verifyToken: string;
  readonly logger: Logger;
  /** Resolves once everything in it is kept. Only then is Meta told; it sends again what it was not told of. */
  readonly take: (payload: WebhookPayload) => Promise<void>;
  /** A webhook for the number came that was not signed with the app's secret. */
  readonly onForged: () => void;
}

/** Meta sends up to 3 MB at once ("Webhooks › Create a webhook endpoint"); bytes. */
const LARGEST_BODY = 4 * 1024 * 1024;

/** How long a body may take to come, in milliseconds. */
const BODY_WITHIN_MS = 30_000;

/** Receives Meta's webhooks. TLS ends at the tunnel or proxy in front of it. */
export class WebhookServer {
  readonly #parts: WebhookServerParts;
  readonly #server: Server;

  constructor(parts: WebhookServerParts) {
    this.#parts = parts;
    this.#server = createServer({ requestTimeout: BODY_WITHIN_MS }, (request, response) => {
      response.on("error", () => {});
      this.#answer(request, response).catch((error: unknown) => {
        parts.logger.warn({ error }, "a webhook could not be taken; Meta sends it again");
        end(response, 500);
      });
    });
  }

  /** Throws PLATFORM_UNAVAILABLE when the port is taken. */
  async listen(): Promise<void> {
    const { host, port } = this.#parts.webhook;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (error: NodeJS.ErrnoException) =>
        reject(unavailable(`no webhook can be received: port ${port} of ${host} cannot be had (${error.code})`)),
      );
      this.#server.listen(port, host, resolve);
    });
  }

  /** Closes every connection. Meta sends again what was not answered yet. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(request.url ?? "/", "http://webhook");
    if (url?.pathname !== this.#parts.webhook.path) return end(response, 404);
    if (request.method === "GET") return this.#shakeHands(url.searchParams, response);
    if (request.method !== "POST") return end(response, 405);
    const body = await bytesOf(request);
    if (body === null) return end(response, 413);
    const signature = request.headers["x-hub-signature-256"];
    if (!isSigned(body, typeof signature === "string" ? signature : undefined, this.#parts.appSecret)) {
      this.#parts.logger.warn(
        { isSigned: signature !== undefined },
        "a webhook that does not fit the app's secret was refused",
      );
      if (signature !== undefined && body.includes(this.#parts.phoneNumberId)) this.#parts.onForged();
      return end(response, 403);
    }
    const payload = parse(body);
    if (payload === null) return end(response, 400);
    await this.#parts.take(payload);
    end(response, 200);
  }

  /** Once, when the callback URL is entered at Meta ("Webhooks › Verification requests"); it has no signature. */
  #shakeHands(query: URLSearchParams, response: ServerResponse): void {
    const isMeta =
      query.get("hub.mode") === "subscribe" && isSame(query.get("hub.verify_token") ?? "", this.#parts.verifyToken);
    if (isMeta) end(response, 200, query.get("hub.challenge") ?? "");
    else end(response, 403);
  }
}

/** The body; null when it is larger than Meta ever sends. */
async function bytesOf(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers["content-length"] ?? 0) > LARGEST_BODY) return null;
  const chunks: Buffer[] = [];
  let length = 0;
  // The response still has to go out when reading stops early.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LARGEST_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body: Buffer): WebhookPayload | null {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}

function end(response: ServerResponse, status: number, text = ""): void {
  if (response.headersSent || response.destroyed) return;
  // Never as HTML: a stranger may write the challenge.
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end(text);
}

/**
 * Whether Meta sent this: `X-Hub-Signature-256` is the HMAC of the bytes as they came, made with the app's secret
 * ("Webhooks › Validating payloads").
 */
function isSigned(body: Uint8Array, signature: string | undefined, appSecret: string): boolean {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? "") ?? [];
  if (hex === undefined) return false;
  return timingSafeEqual(Buffer.from(hex, "hex"), createHmac("sha256", appSecret).update(body).digest());
}

/** Compares two words in constant time. */
function isSame(given: string, wanted: string): boolean {
  const digest = (word: string) => createHmac("sha256", "compare").update(word).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

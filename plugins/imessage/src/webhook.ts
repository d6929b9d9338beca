import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type AdapterContext, KeptJson, type Logger, reasonOf } from "@hermes/core";
import type { Api } from "./api.ts";
import { type IMessageOptions, isThisMachine } from "./config.ts";
import { errors } from "./errors.ts";
import { webhooksAnswer } from "./wire.ts";

/** The longest event, in bytes; the rest of a longer one is in the history. */
const LARGEST_EVENT = 1024 * 1024;

/** How long taking the address back may take, in milliseconds. */
const LEAVES_WITHIN_MS = 2_000;

const EVENTS = ["new-message", "updated-message", "message-send-error", "hello-world"];

export interface WebhookParts {
  readonly api: Api;
  readonly options: IMessageOptions;
  readonly folder: string;
  readonly logger: Logger;
  /** An event. It is only a hint: what it is about is read from the server. */
  readonly take: (type: string, data: unknown) => void;
}

/**
 * Takes the server's webhooks, which are neither signed nor sent again: at a path that nobody knows, and from the
 * configured addresses only. Returns what gives that address to the server; null where the server could not reach it.
 */
export async function openWebhook(
  parts: WebhookParts,
  { onStop }: Pick<AdapterContext, "onStop">,
): Promise<((signal: AbortSignal) => Promise<void>) | null> {
  const { api, options, folder, logger } = parts;
  const { host, port, url } = options.webhook;
  if (url === undefined && !isThisMachine(options.url)) return null;
  const path = `/imessage/${secretIn(folder)}`;
  const server = createServer((request, response) => {
    response.on("error", () => {});
    answer(request, response, path, parts).catch((error: unknown) => {
      logger.debug({ reason: reasonOf(error) }, "a webhook could not be read");
      response.destroy();
    });
  });
  server.listen(port, host);
  await once(server, "listening").catch((error: unknown) => {
    const { code } = Object(error) as { readonly code?: unknown };
    throw errors.unavailable(`no webhook can be received: port ${port} of ${host} cannot be had (${code})`);
  });
  onStop(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { address, port: taken } = server.address() as AddressInfo;
  const reachedAt = address.includes(":") ? `[${address}]` : address;
  const ours = `${url ?? `http://${reachedAt}:${taken}`}${path}`;
  const leave = async (isLeft: (url: string) => boolean, withinMs?: number) => {
    const hooks = await api.read(webhooksAnswer, { path: "webhook", ...(withinMs ? { withinMs } : {}) });
    for (const { id } of hooks.filter((hook) => isLeft(hook.url)))
      await api.call({ method: "DELETE", path: `webhook/${id}` });
  };
  onStop(() => leave((given) => given === ours, LEAVES_WITHIN_MS).catch(() => {}));
  return async (signal) => {
    // Those that a process left which could not take them back.
    await leave((given) => given.endsWith(path) && given !== ours);
    await api.call({ method: "POST", path: "webhook", json: { url: ours, events: EVENTS }, signal });
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  { options, logger, take }: WebhookParts,
): Promise<void> {
  const { from } = options.webhook;
  const sender = (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  if (from !== undefined && !from.includes(sender)) {
    logger.warn({ sender }, "a webhook was refused: it does not come from an address of `webhook.from`");
    return end(response, 403);
  }
  if (!isSame(request.url ?? "", path)) return end(response, 404);
  if (request.method !== "POST") return end(response, 405);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > LARGEST_EVENT) return end(response, 413);
    parts.push(part);
  }
  const { type, data } = Object(parsed(Buffer.concat(parts).toString())) as Record<string, unknown>;
  if (typeof type !== "string") return end(response, 400);
  take(type, data);
  end(response, 200);
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: "close" }).end();
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The secret of the path: made once, since the server writes its addresses into its log, and kept beside the cursor. */
function secretIn(folder: string): string {
  const file = new KeptJson<string>(join(folder, "webhook-secret.json"), { empty: "" });
  const kept = file.read();
  if (kept !== "") return kept;
  const secret = randomBytes(24).toString("base64url");
  file.write(secret);
  return secret;
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

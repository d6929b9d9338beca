import { type AdapterContext, jsonOf, secretPath, WebhookListener } from "@hermes/core";
import { isThisMachine } from "./config.ts";
import type { TakeEvent } from "./event-socket.ts";
import type { Service } from "./service.ts";
import { PLATFORM } from "./source.ts";
import { webhooksAnswer } from "./wire.ts";

/** How long taking the address back may take, in milliseconds. */
const LEAVES_WITHIN_MS = 2_000;

const EVENTS = ["new-message", "updated-message", "message-send-error", "hello-world"];

/**
 * Takes the server's webhooks, which are neither signed nor sent again: at a path that nobody knows, since the server
 * writes its addresses into its log, and from the configured addresses only. Returns what gives that address to the
 * server; null where the server could not reach it.
 */
export async function openWebhook(
  { api, deps: { options, folder, logger } }: Pick<Service, "api" | "deps">,
  take: TakeEvent,
  onStop: AdapterContext["onStop"],
): Promise<((signal: AbortSignal) => Promise<void>) | null> {
  const { host, port, url, from } = options.webhook;
  if (url === undefined && !isThisMachine(options.url)) return null;
  const path = secretPath(folder, PLATFORM);
  const listener = new WebhookListener({
    ...{ platform: PLATFORM, host, port, path, from, logger },
    async take(body) {
      const { type, data } = Object(jsonOf(body)) as Record<string, unknown>;
      if (typeof type !== "string") return 400;
      take(type, data);
      return 200;
    },
  });
  onStop(() => listener.close());
  const reachedAt = await listener.open();
  const ours = url === undefined ? reachedAt : `${url}${path}`;
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

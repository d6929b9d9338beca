import { MODEL_CATALOGUE } from "../agent/model-catalogue.ts";
import { createHost } from "../host/create-host.ts";
import type { HostOptions } from "../host/host.ts";
import { unpricedLimits } from "../host/unpriced-limits.ts";
import type { ServedPlatform } from "../model/gateway-row.ts";
import { attributeErrors } from "../plugin/plugin-context.ts";
import { Gateway, requirePlatforms } from "./gateway.ts";

export interface GatewayOptions extends Omit<HostOptions, "role"> {
  /** Every platform was tried once. */
  readonly onReady?: (info: GatewayInfo) => void;
  /** Aborts when the gateway is to drain and end. */
  readonly signal?: AbortSignal;
}

export interface GatewayInfo {
  readonly id: string;
  readonly pid: number;
  readonly configPath: string | null;
  readonly platforms: readonly ServedPlatform[];
  /** What is to be known of the config although it can be used. */
  readonly notices: readonly string[];
}

/**
 * Runs a gateway until `signal` aborts. Returns the exit code: 0, or 1 where it had to drain and end by itself, after an
 * uncaught error that is no plugin's or because its store was replaced. Throws a HermesError when it cannot begin.
 */
export async function runGateway({ onReady, signal, ...options }: GatewayOptions): Promise<number> {
  const early: unknown[] = [];
  let take = (error: unknown) => void early.push(error);
  // Before the host, so that it keeps running while the host closes.
  using _errors = attributeErrors((error) => take(error));
  await using host = await createHost({ ...options, role: "gateway" });
  requirePlatforms(host);
  const ending = Promise.withResolvers<number>();
  take = (error) => {
    host.logger.error({ error }, "an error that nobody caught; the gateway drains and ends");
    ending.resolve(1);
  };
  early.forEach(take);
  if (signal?.aborted) return 0;
  signal?.addEventListener("abort", () => ending.resolve(0), { once: true });
  // Timers of the clock are unreferenced; this keeps the process alive until it is stopped.
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    await using gateway = new Gateway(host, () => ending.resolve(1));
    const { id, pid } = host.holder;
    await Promise.race([gateway.start(), ending.promise]);
    const unpriced = unpricedLimits(host.config, host.container.resolve(MODEL_CATALOGUE));
    const notices = unpriced === null ? [] : [`${unpriced.message} ${unpriced.hint}`];
    for (const notice of notices) host.logger.warn({}, notice);
    onReady?.({ id, pid, configPath: host.config.path, platforms: gateway.describe(), notices });
    host.logger.info({ pid, config: host.config.path }, "the gateway is ready");
    return await ending.promise;
  } finally {
    clearInterval(alive);
  }
}

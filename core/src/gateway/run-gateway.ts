import { MODEL_CATALOGUE } from "../agent/model-catalogue.ts";
import { createHost } from "../host/create-host.ts";
import type { HostOptions } from "../host/host.ts";
import { unpricedLimits } from "../host/unpriced-limits.ts";
import type { ServedPlatform } from "../model/gateway-row.ts";
import { attributeErrors, type ErrorOwner, runAs, runAsHost } from "../plugin/plugin-context.ts";
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
  const printed: string[] = [];
  let print = (text: string) => void printed.push(text);
  // Before the host, so that it keeps running while the host closes.
  using _errors = attributeErrors((error) => take(error));
  // What configs and plugins print when they are imported waits until all secrets are known. Where that never comes it is
  // left out: `hermes config check` imports them, too, and shows it to whoever sits there.
  const imports: ErrorOwner = { fail: (error) => take(error), print: (text) => print(text) };
  await using host = await runAs(imports, () => createHost({ ...withOwnQuestion(options), role: "gateway" }));
  print = (text) => void host.logger.warn({ printed: text.trimEnd() }, "a config or a plugin printed something");
  printed.forEach(print);
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

/** The question about a changed config is the host's own: it is for the person at the terminal. */
function withOwnQuestion<Options extends Pick<HostOptions, "confirmChange">>(options: Options): Options {
  const { confirmChange } = options;
  if (confirmChange === undefined) return options;
  return { ...options, confirmChange: (change) => runAsHost(() => confirmChange(change)) };
}

import type { PluginSetupContext } from "@hermes/core";
import { notingLogger } from "./noting-logger.ts";
import { createVirtualClock } from "./virtual-clock.ts";

/**
 * The context for `examine` of a plugin's set-up, for a test that calls it itself. Its folder does not exist, as at the
 * first set-up, and its time is up after 10 s.
 *
 * @example
 * ```ts
 * const { findings } = await setup.examine(options, setupContext());
 * ```
 */
export function setupContext(given: Partial<PluginSetupContext> = {}, logged: string[] = []): PluginSetupContext {
  let count = 0;
  return {
    folder: "/nowhere/hermes/plugin",
    clock: createVirtualClock(),
    ids: { next: (prefix) => `${prefix}_${String(++count).padStart(12, "0")}` },
    logger: notingLogger(logged),
    signal: AbortSignal.timeout(10_000),
    ...given,
  };
}

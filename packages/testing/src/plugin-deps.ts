import type { Identities, PluginDeps } from "@hermes/core";
import { notingLogger } from "./noting-logger.ts";

/**
 * The dependencies that a host gives a plugin, for a test that starts an adapter itself: ids are counted, nothing is
 * redacted, and log lines go to `logged`.
 *
 * @example
 * ```ts
 * const adapter = new PagerAdapter(pluginDeps({ options, clock, folder }, logged));
 * ```
 */
export function pluginDeps<Options>(
  given: Pick<PluginDeps<Options>, "options" | "clock" | "folder"> & Partial<PluginDeps<Options>>,
  logged: string[] = [],
): PluginDeps<Options> {
  const { clock } = given;
  let count = 0;
  return {
    ids: { next: (prefix) => `${prefix}_${String(++count).padStart(12, "0")}` },
    logger: notingLogger(logged),
    scope: {
      signal: new AbortController().signal,
      onDispose() {},
      setTimer: (delayMs, run) => clock.setTimer(delayMs, () => void run()),
    },
    redact: (text) => text,
    noteSecret() {},
    commands: [],
    // A test that needs identities passes them: `openIdentities`.
    identities: { isLinked: async () => false } as unknown as Identities,
    ...given,
  };
}

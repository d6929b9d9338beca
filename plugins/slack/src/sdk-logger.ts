import type { Logger } from "@hermes/core";
import type { LogLevel, Logger as SdkLogger } from "@slack/bolt";

/**
 * What Slack's libraries log, in Hermes' log. Each of their errors comes to the adapter as well, which says what it
 * means; so here it is for whoever looks into a fault. Their debug lines hold whole messages and are left out.
 */
export function sdkLogger(logger: Logger): SdkLogger {
  const write = (...parts: readonly unknown[]) => logger.debug({ from: "slack" }, parts.map(String).join(" "));
  return {
    debug() {},
    info: write,
    warn: write,
    error: write,
    setLevel() {},
    getLevel: () => "info" as LogLevel,
    setName() {},
  };
}

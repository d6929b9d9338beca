import type { Clock } from "@hermes/core";

/** The first second of 2015, from which snowflakes count (API reference, "Snowflakes"). */
const DISCORD_EPOCH_MS = 1_420_070_400_000n;

/** Makes ids that grow with time, as Discord's do. */
export function createSnowflakes(clock: Clock): () => string {
  let last = 0n;
  return () => {
    const now = (BigInt(clock.now()) - DISCORD_EPOCH_MS) << 22n;
    last = now > last ? now : last + 1n;
    return String(last);
  };
}

/** Whether `a` was made after `b`. Ids are compared as numbers: they may differ in length. */
export function isAfter(a: string, b: string): boolean {
  return BigInt(a) > BigInt(b);
}

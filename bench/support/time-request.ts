import type { Emulator } from "@hermes/emulator";
import { timed } from "./statistics.ts";

/** How long one HTTP request to the emulator takes, within this process, in milliseconds: a yardstick. */
export function timeRequest({ url }: Emulator): Promise<number> {
  return timed(async () => (await fetch(`${url}/-`)).arrayBuffer());
}

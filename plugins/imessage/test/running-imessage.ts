import type { SendOptions } from "@hermes/core";
import { createVirtualClock, type RunningAdapter, startAdapter, type VirtualClock } from "@hermes/testing";
import { type BlueBubblesEmulator, startBlueBubblesEmulator } from "../emulator/index.ts";
import { IMessageAdapter } from "../src/adapter.ts";
import { imessageOptions } from "../src/config.ts";

export type RunningIMessage = RunningAdapter<IMessageAdapter, BlueBubblesEmulator>;

/** `prepare` sets the Mac up before the adapter starts. The Mac and the adapter have one clock. */
export async function startIMessage(
  config: Record<string, unknown> = {},
  prepare: (emulator: BlueBubblesEmulator, clock: VirtualClock) => void = () => {},
): Promise<RunningIMessage> {
  const clock = createVirtualClock(Date.now());
  const running = await startAdapter({
    emulator: await startBlueBubblesEmulator({ clock }),
    options: imessageOptions,
    config,
    clock,
    prepare: (emulator) => prepare(emulator, clock),
    create: (deps) => new IMessageAdapter(deps),
  });
  await running.until(() => running.emulator.socket.connections > 0);
  return running;
}

export const sendOptions: SendOptions = { key: "key", signal: new AbortController().signal };

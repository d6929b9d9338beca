import type { SendOptions } from "@hermes/core";
import { createVirtualClock, type RunningAdapter, startAdapter, type VirtualClock } from "@hermes/testing";
import { type BlueBubblesEmulator, CHATS, startBlueBubblesEmulator } from "../emulator/index.ts";
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

/** What Hermes received, without the markers of {@link settledIn}. */
export function heard({ received }: RunningIMessage): string[] {
  return received.map(({ text }) => text).filter((text) => !text.startsWith("marker "));
}

/** Resolves when all that was written in a chat before has been heard, or never is: a chat's messages keep their order. */
export async function settledIn(running: RunningIMessage, chatId: string = CHATS.ada): Promise<void> {
  const marker = `marker ${running.received.length}`;
  await running.emulator.receive({ chatId, text: marker });
  await running.until(() => running.received.some(({ text }) => text === marker));
}

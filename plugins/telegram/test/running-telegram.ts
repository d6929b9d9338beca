import type { PluginDeps, SendOptions, ThreadOptions } from "@hermes/core";
import { type RunningAdapter, startAdapter } from "@hermes/testing";
import { startTelegramEmulator, type TelegramEmulator } from "../emulator/index.ts";
import { TelegramAdapter } from "../src/adapter.ts";
import { type TelegramOptions, telegramOptions } from "../src/config.ts";

export type RunningTelegram = RunningAdapter<TelegramAdapter, TelegramEmulator>;

/** `prepare` sets the platform up before the adapter starts. */
export async function startTelegram(
  config: Record<string, unknown> = {},
  prepare?: (emulator: TelegramEmulator) => void,
): Promise<RunningTelegram> {
  const emulator = await startTelegramEmulator();
  const create = (deps: PluginDeps<TelegramOptions>) => new TelegramAdapter(deps);
  return startAdapter({ emulator, options: telegramOptions, config, create, prepare });
}

export const sendOptions: SendOptions = { key: "key", signal: new AbortController().signal };

export function threadOptions(chatId: string, signal = new AbortController().signal): ThreadOptions {
  return { home: { chatId }, mark: "mark", signal };
}

import type { Conversation, SendOptions, ThreadOptions } from "@hermes/core";
import { type RunningAdapter, startAdapter } from "@hermes/testing";
import { type SlackEmulator, type SlackEmulatorOptions, startSlackEmulator } from "../emulator/index.ts";
import { SlackAdapter } from "../src/adapter.ts";
import { slackOptions } from "../src/config.ts";

export const TEAM = "T0EMULATOR";

export type RunningSlack = RunningAdapter<SlackAdapter, SlackEmulator>;

/** The emulator has the machine's clock. */
export async function startSlack(
  config: Record<string, unknown> = {},
  platform: SlackEmulatorOptions = {},
): Promise<RunningSlack> {
  return startAdapter({
    emulator: await startSlackEmulator({ ackWithinMs: 200, ...platform }),
    options: slackOptions,
    config,
    create: (deps) => new SlackAdapter(deps),
  });
}

export function at(chatId: string, threadId?: string): Conversation {
  const thread = threadId === undefined ? {} : { threadId };
  return { platform: "slack", chatId, kind: chatId.startsWith("D") ? "dm" : "group", scope: TEAM, ...thread };
}

export function sending(key = "key-1"): SendOptions {
  return { key, signal: new AbortController().signal };
}

export function opening(chatId: string, mark = "mark-1"): ThreadOptions {
  return { home: { chatId }, mark, signal: new AbortController().signal };
}

import { createVirtualClock } from "@hermes/testing";
import { expect, test } from "vitest";
import { PlatformAdapter } from "../adapter/adapter.ts";
import { type Capabilities, PLAIN_TEXT_ONLY } from "../adapter/capabilities.ts";
import type { Conversation } from "../adapter/conversation.ts";
import { PlatformError } from "../base/errors.ts";
import { openThread } from "./open-thread.ts";
import { OpenedThreads } from "./opened-threads.ts";

/** A platform whose home channel cannot have one thread more. */
class FullBoard extends PlatformAdapter {
  override readonly platform = "board";
  override readonly capabilities: Capabilities = { ...PLAIN_TEXT_ONLY, threads: true };
  readonly #isForThreadsOnly: boolean;

  constructor(isForThreadsOnly: boolean) {
    super();
    this.#isForThreadsOnly = isForThreadsOnly;
  }

  override async start(): Promise<void> {}
  override async stop(): Promise<void> {}
  override render = () => [];
  override send = () => Promise.reject(new Error("nothing is sent"));
  override homeConversation = async ({ chatId }: { readonly chatId: string }): Promise<Conversation> => {
    return { platform: "board", chatId, kind: "dm" };
  };
  override takesMessages = () => !this.#isForThreadsOnly;
  override createHandoffThread = async () => {
    throw new PlatformError("PLATFORM_REJECTED", { platform: "board", reason: "it is full", hint: "Close a thread." });
  };
}

async function open(adapter: PlatformAdapter) {
  const { signal } = new AbortController();
  const clock = createVirtualClock();
  const home = { chatId: "1" };
  const parent = await adapter.homeConversation(home);
  const opened = new OpenedThreads();
  return openThread({ adapter, clock, home, name: "Plan", mark: "m", wasAskedFor: false, opened, signal }, parent);
}

test("where no thread can be had, a session lands in the home channel itself", async () => {
  expect(await open(new FullBoard(false))).toMatchObject({ flatBecause: expect.stringContaining("it is full") });
});

test("fails a handoff into a threads-only home channel with why there is no thread", async () => {
  await expect(open(new FullBoard(true))).rejects.toMatchObject({
    code: "HANDOFF_HOME_HOLDS_THREADS",
    message: expect.stringContaining("it is full"),
    hint: "Fix that and hand off again, or set another home channel.",
  });
});

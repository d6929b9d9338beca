import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { CannotEmulate } from "./cannot-emulate.ts";
import type { EmulatorOptions } from "./emulator.ts";
import { EmulatorBase } from "./emulator-base.ts";
import { ApiRefusal, answerCall, clientOf, type FailureWords, playCall } from "./play-call.ts";
import { playable, refusals } from "./playable-failures.ts";

const WORDS: FailureWords = {
  rateLimit: (ms) => new ApiRefusal(429, { wait: ms }, { "retry-after": String(ms / 1000) }),
  refuse: (code) => new ApiRefusal(400, { code }),
  break: () => new ApiRefusal(500, { code: "broken" }),
};

class PagerEmulator extends EmulatorBase {
  readonly platform = "pager";
  readonly options = {};
  readonly chats = [];
  readonly people = [];
  readonly isConnected = false;
  /** The number of sent pages. */
  sent = 0;
  /** The number of received calls. */
  begun = 0;

  static start(options: EmulatorOptions = {}): Promise<PagerEmulator> {
    const kinds = ["rate-limit", "break", "break-after", "bad-gateway", "drop-answer", "hang", "disconnect"] as const;
    const failures = [...playable(kinds, ["send"]), ...refusals({ FULL: "The pager is full." }, ["send"])];
    return new PagerEmulator({ clock: options.clock, failures }).listen(options);
  }

  protected override async answer(_request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { script } = this;
    const call = { script, client: clientOf(response), words: WORDS };
    this.begun++;
    const run = () => playCall(script.take("send"), call, () => ({ id: ++this.sent }));
    this.requests.add("send", {}, await answerCall(response, run));
  }

  messages(): [] {
    return [];
  }

  async receive(): Promise<never> {
    throw new CannotEmulate("nobody writes here");
  }
}

async function send(emulator: PagerEmulator, signal: AbortSignal | null = null): Promise<unknown> {
  const response = await fetch(emulator.url, { signal });
  return { status: response.status, wait: response.headers.get("retry-after"), body: await response.json() };
}

it("an emulator refuses a call in its platform's words, and logs the status", async () => {
  await using emulator = await PagerEmulator.start();
  emulator.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: 3_000 } });
  emulator.fail({ operation: "send", kind: { is: "refuse", code: "FULL" } });
  emulator.fail({ operation: "send", kind: { is: "break" } });
  expect(await send(emulator)).toEqual({ status: 429, wait: "3", body: { wait: 3_000 } });
  expect(await send(emulator)).toMatchObject({ status: 400, body: { code: "FULL" } });
  expect(await send(emulator)).toMatchObject({ status: 500 });
  expect(await send(emulator)).toMatchObject({ status: 200, body: { id: 1 } });
  expect(emulator.log.map(({ status }) => status)).toEqual([429, 400, 500, 200]);
});

it("a call whose answer is lost takes effect; one whose connection is cut does not", async () => {
  await using emulator = await PagerEmulator.start();
  emulator.fail({ operation: "send", kind: { is: "disconnect" } });
  await expect(send(emulator)).rejects.toThrow();
  expect(emulator.sent).toBe(0);
  emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
  await expect(send(emulator)).rejects.toThrow();
  expect(emulator.sent).toBe(1);
});

it("a call behind which a server or its proxy fails takes effect", async () => {
  await using emulator = await PagerEmulator.start();
  emulator.fail({ operation: "send", kind: { is: "break-after" } });
  emulator.fail({ operation: "send", kind: { is: "bad-gateway" } });
  expect(await send(emulator)).toMatchObject({ status: 500 });
  expect(await (await fetch(emulator.url)).text()).toContain("502 Bad Gateway");
  expect(emulator.sent).toBe(2);
});

it("a hanging call continues when the emulator is healed", async () => {
  await using emulator = await PagerEmulator.start();
  emulator.fail({ operation: "send", kind: { is: "hang" } });
  const hanging = send(emulator);
  await expect.poll(() => emulator.begun).toBe(1);
  emulator.heal();
  expect(await hanging).toMatchObject({ status: 200, body: { id: 1 } });
});

it("a hanging call has no effect once its client has disconnected", async () => {
  await using emulator = await PagerEmulator.start();
  emulator.fail({ operation: "send", kind: { is: "hang" } });
  const leaving = new AbortController();
  const hanging = send(emulator, leaving.signal);
  await expect.poll(() => emulator.begun).toBe(1);
  leaving.abort();
  await expect(hanging).rejects.toThrow();
  await expect.poll(() => emulator.log.length).toBe(1);
  expect(emulator.sent).toBe(0);
});

it("an emulator says what its platform does not have", async () => {
  await using emulator = await PagerEmulator.start();
  expect(emulator.threads("home")).toEqual([]);
  expect(() => emulator.removeThread("home", "thread")).toThrow("there are no threads on pager");
  expect(() => emulator.fail({ operation: "edit", kind: { is: "break" } })).toThrow(CannotEmulate);
});

import { gate } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS } from "../emulator/index.ts";
import { type RunningTelegram, startTelegram } from "../test/running-telegram.ts";

let telegram: RunningTelegram;
beforeEach(async () => {
  telegram = await startTelegram();
});
afterEach(async () => {
  await telegram[Symbol.asyncDispose]();
});

function write(text: string, chatId: string = CHATS.private) {
  return telegram.emulator.receive({ chatId, text });
}

function texts(): string[] {
  return telegram.received.map(({ text }) => text);
}

/** Whatever polls with the bot's token beside the adapter, as another program would. */
async function pollElsewhere(): Promise<void> {
  const { apiRoot, token } = telegram.emulator.options;
  await fetch(`${apiRoot}/bot${token}/getUpdates?timeout=0`, { method: "POST" });
}

/** Offsets that were confirmed so far. */
function offsets(): unknown[] {
  return telegram.calls("getUpdates").flatMap(({ offset }) => offset ?? []);
}

describe("what a person writes", () => {
  it("an update is confirmed only once Hermes has stored it", async () => {
    const kept = gate();
    telegram.onReceive = () => kept.pass();
    await write("Hello");
    await kept.reached;
    expect(offsets()).toEqual([]);
    kept.open();
    await write("And more");
    await expect.poll(texts).toEqual(["Hello", "And more"]);
    await expect.poll(offsets).toContain(2);
  });

  it("comes again after a crash in between, under the same message id", async () => {
    telegram.onReceive = () => new Promise(() => {});
    const { messageId } = await write("Hello");
    await expect.poll(texts).toEqual(["Hello"]);
    telegram.onReceive = async () => {};
    await telegram.restart();
    await expect.poll(texts).toEqual(["Hello", "Hello"]);
    expect(telegram.received.map((message) => message.messageId)).toEqual([messageId, messageId]);
  });

  it("an orderly stop confirms updates, so that they do not come again", async () => {
    await write("Hello");
    await expect.poll(texts).toEqual(["Hello"]);
    await telegram.restart();
    await write("And more");
    await expect.poll(texts).toEqual(["Hello", "And more"]);
  });

  it("polls a message again that Hermes could not keep, and nothing overtakes it there", async () => {
    telegram.onReceive = async () => {
      if (telegram.received.length === 1) throw new Error("the store is busy");
    };
    telegram.emulator.fail({ operation: "deliver", kind: { is: "out-of-order" } });
    await write("two");
    await write("one");
    await expect.poll(texts).toContain("one");
    await telegram.clock.advance(1_000);
    await expect.poll(() => texts().length).toBeGreaterThanOrEqual(3);
    expect(texts().slice(-2)).toEqual(["one", "two"]);
  });

  it("one chat's message does not wait for another chat's that is still being kept", async () => {
    const kept = gate();
    telegram.onReceive = ({ conversation }) => (conversation.kind === "dm" ? kept.pass() : Promise.resolve());
    telegram.emulator.fail({ operation: "deliver", kind: { is: "out-of-order" } });
    await write("in the group", CHATS.group);
    await write("in private");
    await expect.poll(texts).toEqual(expect.arrayContaining(["in the group", "in private"]));
    kept.open();
  });

  it("a message written while nothing ran is received at the next start", async () => {
    await telegram.adapter.stop();
    await write("Anybody there?");
    await telegram.restart();
    await expect.poll(texts).toEqual(["Anybody there?"]);
  });
});

describe("another program that polls with the same token", () => {
  it("shows in the health, and is outlasted", async () => {
    await expect.poll(() => telegram.emulator.isConnected).toBe(true);
    await pollElsewhere();
    await expect.poll(() => telegram.adapter.health().state).toBe("degraded");
    expect(telegram.adapter.health().detail).toMatch(/Not receiving: another program polls/);
    await telegram.clock.advance(5_000);
    await expect.poll(() => telegram.adapter.health().state).toBe("up");
    await write("Still there?");
    await expect.poll(texts).toEqual(["Still there?"]);
  });

  it("another poller with the same token does not keep the bot from starting", async () => {
    telegram.emulator.fail({ operation: "getUpdates", kind: { is: "refuse", code: "Conflict" } });
    await telegram.restart();
    expect(telegram.adapter.health().state).toBe("degraded");
    await telegram.clock.advance(5_000);
    await expect.poll(() => telegram.adapter.health().state).toBe("up");
  });

  it("never leaves two pollers of ours behind", async () => {
    for (let times = 0; times < 3; times++) {
      telegram.emulator.fail({ operation: "getUpdates", kind: { is: "refuse", code: "Conflict" } });
      await telegram.restart();
      await telegram.clock.advance(5_000);
      await expect.poll(() => telegram.adapter.health().state).toBe("up");
    }
    await expect.poll(() => telegram.emulator.isConnected).toBe(true);
    // A second one would end the polls of the first.
    const conflicts = telegram.emulator.log.filter(({ status }) => status === 409).length;
    await write("Once");
    await expect.poll(texts).toEqual(["Once"]);
    expect(telegram.emulator.log.filter(({ status }) => status === 409)).toHaveLength(conflicts);
  });

  it("may have set a webhook: it is removed", async () => {
    telegram.emulator.world.webhook = "https://elsewhere.example/hook";
    await telegram.restart();
    expect(telegram.adapter.health()).toEqual({ state: "up" });
  });

  it("may set a webhook later on: it is removed, and nothing is lost", async () => {
    await expect.poll(() => telegram.emulator.isConnected).toBe(true);
    telegram.emulator.world.webhook = "https://elsewhere.example/hook";
    await write("Hello");
    await write("And more");
    await expect.poll(() => telegram.adapter.health().detail).toMatch(/a webhook is set/);
    await telegram.clock.advance(5_000);
    await expect.poll(texts).toContain("And more");
  });
});

describe("a token that is not accepted", () => {
  it("ends the start with what is wrong, and the token stands nowhere", async () => {
    const token = "110201543:AAnobody-ever-had-this-token-0000000";
    const starting = startTelegram({ token });
    await expect(starting).rejects.toMatchObject({ code: "PLATFORM_UNAUTHORISED", retryable: false });
    await expect(starting).rejects.not.toThrow(token);
  });

  it("any more shows in the health, and Telegram is asked again only after minutes", async () => {
    await expect.poll(() => telegram.emulator.isConnected).toBe(true);
    telegram.emulator.fail({ operation: "getUpdates", times: 9, kind: { is: "refuse", code: "Unauthorized" } });
    await write("wakes the poll");
    await expect
      .poll(() => telegram.adapter.health())
      .toMatchObject({
        state: "down",
        detail: expect.stringMatching(/Not receiving: .*credentials/),
      });
    const asked = telegram.calls("getUpdates").length;
    await telegram.clock.advance(60_000);
    expect(telegram.calls("getUpdates")).toHaveLength(asked);
    await telegram.clock.advance(4 * 60_000);
    await expect.poll(() => telegram.calls("getUpdates").length).toBe(asked + 1);
  });
});

describe("a connection that fails", () => {
  it("an outage shows in the health, is retried with back-off, and loses nothing", async () => {
    await expect.poll(() => telegram.emulator.isConnected).toBe(true);
    telegram.emulator.fail({ operation: "getUpdates", times: 2, kind: { is: "break" } });
    telegram.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await write("Hello");
    await expect.poll(() => telegram.adapter.health().state).toBe("down");
    for (const pauseMs of [1_000, 2_000, 4_000]) await telegram.clock.advance(pauseMs);
    await expect
      .poll(async () => {
        await telegram.clock.advance(4_000);
        return texts();
      })
      .toEqual(["Hello"]);
    expect(telegram.adapter.health()).toEqual({ state: "up" });
  });

  it("a poll that hangs is noticed when its answer is overdue", async () => {
    await expect.poll(() => telegram.emulator.isConnected).toBe(true);
    telegram.emulator.fail({ operation: "getUpdates", kind: { is: "hang" } });
    await write("wakes the poll");
    await expect.poll(texts).toEqual(["wakes the poll"]);
    await expect.poll(() => telegram.emulator.isConnected).toBe(false);
    await telegram.clock.advance(41_000);
    await expect.poll(() => telegram.adapter.health().state).toBe("down");
    await telegram.clock.advance(1_000);
    await expect.poll(() => telegram.adapter.health().state).toBe("up");
  });

  it("keeps the start from succeeding, with a reason that holds no token", async () => {
    const unreachable = startTelegram({ apiRoot: "http://127.0.0.1:9" });
    await expect(unreachable).rejects.toMatchObject({
      code: "PLATFORM_UNAVAILABLE",
      message: "telegram cannot be reached: the connection failed (ECONNREFUSED).",
    });
  });
});

describe("the slash commands", () => {
  it("slash commands are registered under names that Telegram accepts", () => {
    expect(telegram.emulator.world.commands).toEqual([
      { command: "new", description: "Begins a new session" },
      { command: "resume", description: "Goes on with a session [title|number]" },
      { command: "title", description: "Names the session [title]" },
      { command: "who_am_i", description: "Says who you are here" },
    ]);
  });

  it("the bot starts even if its slash commands cannot be registered", async () => {
    telegram.emulator.fail({ operation: "setMyCommands", kind: { is: "refuse", code: "BOT_COMMAND_INVALID" } });
    await telegram.restart();
    expect(telegram.adapter.health()).toEqual({ state: "up" });
    expect(telegram.logged.join("\n")).toContain("the slash commands could not be registered");
  });
});

describe("the log", () => {
  it("holds no token, whatever goes wrong", async () => {
    const { token } = telegram.emulator.options;
    telegram.emulator.fail({ operation: "getFile", kind: { is: "disconnect" } });
    const files = [{ name: "a.txt", mediaType: "text/plain", content: "a" }];
    await telegram.emulator.receive({ chatId: CHATS.private, text: "", files });
    await expect.poll(() => telegram.clock.isWaiting(1_000)).toBe(true);
    await telegram.clock.advance(1_000);
    await expect.poll(() => telegram.received.length).toBe(1);
    // What is not connected cannot be cut off.
    await expect.poll(() => telegram.emulator.isConnected).toBe(true);
    telegram.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await expect.poll(() => telegram.adapter.health().state).toBe("down");
    expect(telegram.logged.length).toBeGreaterThan(1);
    expect(telegram.logged.join("\n")).not.toContain(token.split(":")[1]);
  });
});

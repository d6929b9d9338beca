import { gate } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningSlack, startSlack } from "../test/running-slack.ts";

let slack: RunningSlack;
beforeEach(async () => {
  slack = await startSlack();
});
afterEach(async () => {
  await slack[Symbol.asyncDispose]();
});

const write = (text: string) => slack.emulator.receive({ chatId: "D0ADA", text });
const texts = () => slack.received.map(({ text }) => text);

describe("a message", () => {
  it("a message is acknowledged only once Hermes has stored it", async () => {
    const kept = gate();
    slack.onReceive = () => kept.pass();
    await write("hello");
    await kept.reached;
    expect(slack.emulator.hub.unacknowledged).toBe(1);
    kept.open();
    await slack.until(() => slack.emulator.hub.unacknowledged === 0);
    expect(new Set(texts())).toEqual(new Set(["hello"]));
  });

  it("a message that Hermes could not keep is not acknowledged, and comes again", async () => {
    slack.onReceive = async () => {
      if (slack.received.length === 1) throw new Error("the store is busy");
    };
    const { messageId } = await write("hello");
    await slack.until(() => slack.logged.some((line) => line.includes("the store is busy")));
    expect(slack.emulator.hub.unacknowledged).toBe(1);
    await slack.clock.advance(1_000);
    await slack.until(() => slack.received.length >= 2 && slack.emulator.hub.unacknowledged === 0);
    expect(new Set(slack.received.map((message) => message.messageId))).toEqual(new Set([messageId]));
    expect(slack.adapter.health()).toEqual({ state: "up" });
  });

  it("a message that Slack redelivers under another event id is the same message", async () => {
    slack.emulator.fail({ operation: "deliver", kind: { is: "redeliver" } });
    await write("hello");
    await slack.until(() => slack.received.length === 2);
    expect(slack.received[0]).toEqual(slack.received[1]);
  });

  it("a message comes again when its connection is gone before the acknowledgement", async () => {
    const kept = gate();
    slack.onReceive = () => kept.pass();
    await write("hello");
    await kept.reached;
    slack.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await slack.until(() => slack.adapter.health().state !== "up");
    kept.open();
    await slack.until(() => slack.received.length === 2 && slack.emulator.hub.unacknowledged === 0);
    expect(slack.adapter.health()).toEqual({ state: "up" });
  });
});

describe("a connection that Slack announces the end of", () => {
  it.each(["warning", "refresh_requested"] as const)(
    "an ending socket is replaced before it closes, after its acks (%s)",
    async (reason) => {
      const kept = gate();
      slack.onReceive = () => kept.pass();
      await write("before");
      await kept.reached;
      slack.emulator.hub.announceEnd(reason);
      await slack.until(() => slack.emulator.hub.connections === 2);
      expect(slack.adapter.health()).toEqual({ state: "up" });
      kept.open();
      await slack.until(() => slack.emulator.hub.connections === 1);
      await write("after");
      await slack.until(() => slack.received.length === 2 && slack.emulator.hub.unacknowledged === 0);
      expect(texts()).toEqual(["before", "after"]);
    },
  );
});

describe("a connection that is lost", () => {
  it("a lost socket shows in the health and reconnects without losing messages", async () => {
    slack.emulator.fail({ operation: "connect", kind: { is: "break" }, times: 2 });
    slack.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await slack.until(() => slack.adapter.health().state === "degraded");
    expect(slack.adapter.health().detail).toMatch(/^Not receiving: .+\.$/);
    await write("while you were away");
    await slack.until(() => slack.calls("apps.connections.open").length === 2);
    await slack.clock.advance(1_000);
    await slack.until(() => slack.calls("apps.connections.open").length === 3);
    await slack.clock.advance(2_000);
    await slack.until(() => slack.received.length === 1);
    expect(slack.adapter.health()).toEqual({ state: "up" });
  });

  it("reconnecting waits out Slack's rate limit", async () => {
    slack.emulator.fail({ operation: "connect", kind: { is: "rate-limit", retryAfterMs: 60_000 } });
    slack.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await slack.until(() => slack.calls("apps.connections.open").length === 2);
    await slack.until(() => slack.adapter.health().detail?.includes("60 s") === true);
    await slack.clock.advance(59_000);
    expect(slack.calls("apps.connections.open")).toHaveLength(2);
    await slack.clock.advance(1_000);
    await slack.until(() => slack.adapter.health().state === "up");
  });

  it("reports a revoked token, and retries the connection only now and then", async () => {
    slack.emulator.fail({ operation: "connect", kind: { is: "refuse", code: "token_revoked" }, times: 1 });
    slack.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await slack.until(() => slack.adapter.health().detail?.includes("credentials") === true);
    await slack.clock.advance(4 * 60_000);
    expect(slack.calls("apps.connections.open")).toHaveLength(2);
    await slack.clock.advance(60_000);
    await slack.until(() => slack.adapter.health().state === "up");
  });

  it("a socket that is lost while it opens is opened again", async () => {
    slack.emulator.hub.greets = false;
    slack.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await slack.until(() => slack.calls("apps.connections.open").length === 2);
    // Nobody greets: that is said soon; given up after a while, and tried again.
    await slack.clock.advance(3_000);
    expect(slack.adapter.health().detail).toBe("Not receiving: Slack was asked for a socket and has not greeted.");
    await slack.clock.advance(17_000);
    await slack.until(() => slack.logged.some((line) => line.includes("did not greet")));
    slack.emulator.heal();
    await slack.clock.advance(1_000);
    await slack.until(() => slack.adapter.health().state === "up");
    await write("hello");
    await slack.until(() => slack.received.length === 1);
  });
});

describe("the start", () => {
  it("the start says which credentials are wrong, without showing them", async () => {
    for (const wrong of [{ botToken: "xoxb-wrong-secret" }, { appToken: "xapp-wrong-secret" }]) {
      const starting = startSlack(wrong);
      await expect(starting).rejects.toMatchObject({ code: "PLATFORM_UNAUTHORISED" });
      await expect(starting).rejects.not.toThrow("wrong-secret");
    }
  });

  it("neither start nor stop waits for a message to be handled", async () => {
    slack.onReceive = () => new Promise(() => {});
    await write("hello");
    await slack.until(() => slack.received.length === 1);
    await slack.adapter.stop();
    expect(slack.adapter.health().state).toBe("down");
    await slack.until(() => slack.emulator.hub.connections === 0);
  });

  it("names in the log the scopes that the app has not", async () => {
    slack.emulator.workspace.scopes.delete("files:write");
    await slack.restart();
    expect(slack.logged.join()).toContain('["files:write"]');
  });
});

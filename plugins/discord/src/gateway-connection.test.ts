import { afterEach, describe, expect, it } from "vitest";
import type { DiscordEmulator } from "../emulator/index.ts";
import { IN_GENERAL, type RunningDiscord, startDiscord } from "../test/running-discord.ts";

let discord: RunningDiscord | null = null;
afterEach(async () => {
  await discord?.[Symbol.asyncDispose]();
  discord = null;
});

/** What a start is refused with, and how often the platform was asked. */
async function refusedStart(options: Record<string, unknown>, prepare: (emulator: DiscordEmulator) => void = () => {}) {
  let emulator: DiscordEmulator | null = null;
  const error = await startDiscord(options, (started) => {
    emulator = started;
    prepare(started);
  }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const { log } = emulator ?? { log: [] };
  return { error, asked: log.filter(({ method }) => method === "GET /gateway/bot").length };
}

describe("a bot that may not connect", () => {
  it("the start names the intent that is off, and does not retry", async () => {
    const { error, asked } = await refusedStart({}, ({ world }) => {
      world.isMessageContentAllowed = false;
    });
    expect(error).toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      retryable: false,
      message: expect.stringContaining("Message Content Intent is off"),
      hint: expect.stringContaining("Developer Portal"),
    });
    expect(asked).toBe(1);
  });

  it.each([
    ["the API", () => {}, { token: "some-other-token" }],
    [
      "the gateway",
      (emulator: DiscordEmulator) => emulator.fail({ operation: "connect", kind: { is: "refuse", code: "4004" } }),
      {},
    ],
  ])("the start says that the token is wrong when %s says so", async (_, prepare, options) => {
    const { error, asked } = await refusedStart(options, prepare);
    expect(error).toMatchObject({ code: "PLATFORM_UNAUTHORISED", retryable: false });
    expect(JSON.stringify(error)).not.toContain("some-other-token");
    expect(asked).toBe(1);
  });

  it("the start can be retried when Discord is unreachable", async () => {
    const { error } = await refusedStart({}, (emulator) =>
      emulator.fail({ operation: "connect", kind: { is: "break" } }),
    );
    expect(error).toMatchObject({ code: "PLATFORM_UNAVAILABLE", retryable: true });
  });

  it("stops while Discord does not answer", async () => {
    const running = await startDiscord();
    discord = running;
    await running.stop();
    running.emulator.fail({ operation: "connect", kind: { is: "hang" } });
    const giveUp = new AbortController();
    const starting = running.adapter.start(
      {
        receive: async () => {},
        settle: async () => {},
        choose: async () => {},
        moved: async () => {},
        retracted: async () => {},
        fail() {},
      },
      giveUp.signal,
    );
    giveUp.abort();
    await expect(starting).rejects.toThrow();
  });
});

describe("a connection that Discord closes for good", () => {
  it.each([
    [4014, "degraded", "Message Content Intent"],
    [4004, "down", "does not accept the credentials"],
    [4013, "degraded", "the code 4013"],
  ])("the health gives the reason for close code %i", async (code, state, words) => {
    discord = await startDiscord();
    const { adapter, emulator, until } = discord;
    emulator.gateway.closeWith(code);
    await until(() => adapter.health().state === state);
    expect(adapter.health().detail).toContain(words);
  });

  it.each([4010, 4013, 4014])("close code %i reconnects after 5 minutes; sending works meanwhile", async (code) => {
    discord = await startDiscord();
    const { adapter, clock, emulator, failures, until } = discord;
    emulator.gateway.closeWith(code);
    await until(() => adapter.health().state === "degraded");
    expect(adapter.health().detail).toContain("within 5 minutes");
    await discord.send(IN_GENERAL, "Still here.", "k1");
    await clock.advance(5 * 60_000 - 1);
    expect(failures).toEqual([]);
    await clock.advance(1);
    expect(failures).toMatchObject([{ code: "PLATFORM_UNAVAILABLE", retryable: true }]);
    await discord.stop();
    await discord.startAgain();
    expect(discord.adapter.health()).toEqual({ state: "up" });
  });

  it("a connection is not made again if messages may no longer be read", async () => {
    discord = await startDiscord();
    const { adapter, emulator, until } = discord;
    emulator.gateway.closeWith(4014);
    await until(() => adapter.health().state === "degraded");
    await longerThanAReconnect();
    expect(emulator.gateway.connections).toBe(1);
  });
});

it("an adapter that is stopped while it reconnects stays stopped", async () => {
  discord = await startDiscord();
  const { adapter, emulator, until } = discord;
  emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
  await until(() => adapter.health().state === "degraded");
  await discord.stop();
  await longerThanAReconnect();
  expect(emulator.gateway.connections).toBe(1);
});

/** That nothing happens shows only in time: discord.js connects again half a second after a connection was lost. */
function longerThanAReconnect(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 800));
}

it("reports a revoked token when the API says so while the gateway still speaks", async () => {
  discord = await startDiscord();
  discord.emulator.fail({ operation: "send", kind: { is: "refuse", code: "0" } });
  for (const key of ["k1", "k2"]) {
    await expect(discord.send(IN_GENERAL, "Hello.", key)).rejects.toMatchObject({ code: "PLATFORM_UNAUTHORISED" });
  }
  expect(discord.adapter.health()).toMatchObject({ state: "down" });
});

it.each([
  ["the API", (emulator: DiscordEmulator) => emulator.fail({ operation: "send", kind: { is: "refuse", code: "0" } })],
  ["the gateway", (emulator: DiscordEmulator) => emulator.gateway.closeWith(4004)],
])("the adapter asks for a restart when %s rejects its token", async (_, turnAway) => {
  discord = await startDiscord();
  turnAway(discord.emulator);
  await discord.send(IN_GENERAL, "Hello.", "k1").catch(() => {});
  await discord.until(() => discord?.adapter.health().state === "down");
  await discord.clock.advance(0);
  expect(discord.failures).toMatchObject([{ code: "PLATFORM_UNAUTHORISED" }]);
  await discord.stop();
  await discord.startAgain();
  expect(await discord.send(IN_GENERAL, "Hello.", "k2")).toMatchObject({ messageId: expect.any(String) });
});

it("cannot send before it is started and after it was stopped", async () => {
  discord = await startDiscord();
  await discord.stop();
  await expect(discord.send(IN_GENERAL, "Hello.", "k")).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  expect(discord.adapter.health().state).toBe("down");
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL, PERSON } from "../emulator/index.ts";
import { COMMANDS, IN_DM, IN_GENERAL, type RunningDiscord, startDiscord } from "../test/running-discord.ts";

let discord: RunningDiscord;
beforeEach(async () => {
  discord = await startDiscord();
  await discord.until(() => discord.emulator.commands.length > 0);
});
afterEach(() => discord[Symbol.asyncDispose]());

const DEFERRED_FOR_ONE = { type: 5, data: { flags: 64 } };

describe("a slash command", () => {
  it("Discord offers Hermes' commands as slash commands", () => {
    expect(discord.emulator.commands.map(({ name, description }) => ({ name, description }))).toEqual(
      COMMANDS.map(({ name, description }) => ({ name, description })),
    );
    expect(discord.emulator.commands.map(({ options }) => options.length)).toEqual([0, 1]);
  });

  it("comes as the message that it stands for, where it was given", async () => {
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "/title Trip to Rome" });
    await discord.emulator.receive({ chatId: CHANNEL.dm, text: "/status" });
    await discord.emulator.receive({ chatId: CHANNEL.general, threadId: CHANNEL.standingThread, text: "/status" });
    const received = await discord.untilReceived(3);
    expect(received).toMatchObject([
      { text: "/title Trip to Rome", conversation: IN_GENERAL, isAddressed: true, sender: { id: PERSON.id } },
      { text: "/status", conversation: IN_DM },
      { text: "/status", conversation: { ...IN_GENERAL, threadId: CHANNEL.standingThread } },
    ]);
  });

  it("a slash command is acknowledged privately, and then removed", async () => {
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "/status" });
    await discord.until(() => discord.emulator.interactionAnswers.some(({ isRemoved }) => isRemoved));
    expect(discord.emulator.interactionAnswers).toMatchObject([DEFERRED_FOR_ONE]);
    expect(discord.received).toHaveLength(1);
  });

  it("a slash command is acknowledged in time even if Hermes is slow", async () => {
    const kept = Promise.withResolvers<void>();
    discord.onReceive = () => kept.promise;
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "/status" });
    await discord.until(() => discord.emulator.isConnected);
    // Discord's patience ends after 3 s.
    await discord.until(() => {
      void discord.clock.advance(100);
      return discord.emulator.interactionAnswers.length > 0;
    });
    expect(discord.emulator.interactionAnswers).toMatchObject([{ ...DEFERRED_FOR_ONE, isRemoved: false }]);
    kept.resolve();
    await discord.until(() => discord.emulator.interactionAnswers[0]?.isRemoved === true);
  });

  it("a slash command that Discord repeats keeps its id, and no log has its token", async () => {
    discord.emulator.fail({ operation: "deliver", kind: { is: "redeliver" } });
    const { messageId } = await discord.emulator.receive({ chatId: CHANNEL.general, text: "/status" });
    const received = await discord.untilReceived(2);
    expect(received.map((one) => one.messageId)).toEqual([`slash-${messageId}`, `slash-${messageId}`]);
    await discord.until(() => discord.logged.some((line) => line.includes("acknowledged")));
    expect(discord.logged.join()).not.toContain("interaction-secret");
  });

  it("a command written behind a mention can be read anew, a slash command cannot", async () => {
    const { emulator, adapter } = discord;
    const { messageId } = await emulator.receive({ chatId: CHANNEL.general, text: " /title Rome", mentions: true });
    await emulator.receive({ chatId: CHANNEL.general, text: "/status" });
    const [written, slash] = await discord.untilReceived(2);
    await emulator.retract?.({ chatId: CHANNEL.general, messageId });
    const readNow = (one = written) => one && adapter.readNow(one, AbortSignal.timeout(5_000));
    expect(written?.text).toBe("/title Rome");
    expect(await readNow(written)).toBeNull();
    expect(await readNow(slash)).toBeUndefined();
  });

  it("can be written by hand where commands are not registered", async () => {
    await discord[Symbol.asyncDispose]();
    discord = await startDiscord({ registerCommands: false });
    await discord.emulator.receive({ chatId: CHANNEL.general, text: "/status" });
    expect((await discord.untilReceived(1))[0]).toMatchObject({ text: "/status", isAddressed: true });
    expect(discord.emulator.commands).toEqual([]);
  });
});

it("goes on without slash commands when Discord does not take them", async () => {
  await discord[Symbol.asyncDispose]();
  discord = await startDiscord({}, (emulator) => {
    emulator.fail({ operation: "PUT /applications/:id/commands", kind: { is: "break" } });
  });
  await discord.until(() => discord.logged.some((line) => line.includes("could not be registered")));
  expect(discord.adapter.health().state).toBe("up");
});

describe("an event that discord.js cannot read", () => {
  it("the connection outlives a button's event without all of its fields", async () => {
    discord.emulator.pressButton(CHANNEL.general);
    await discord.emulator.receive({ chatId: CHANNEL.dm, text: "Still there?" });
    expect(await discord.untilReceived(1)).toMatchObject([{ text: "Still there?" }]);
    expect(discord.adapter.health()).toEqual({ state: "up" });
  });
});

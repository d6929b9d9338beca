import type { Choice, Conversation } from "@hermes/core";
import { gate } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL, PERSON } from "../emulator/index.ts";
import { IN_DM, IN_GENERAL, type RunningDiscord, SIGNAL, startDiscord } from "../test/running-discord.ts";

let discord: RunningDiscord;
beforeEach(async () => {
  discord = await startDiscord();
});
afterEach(() => discord[Symbol.asyncDispose]());

const IN_THREAD: Conversation = { ...IN_GENERAL, threadId: CHANNEL.standingThread };
const IN_PRIVATE_THREAD: Conversation = { ...IN_GENERAL, threadId: CHANNEL.privateThread, isPrivate: true };

const CALLBACK = "POST /interactions/:id/:id/callback";

const CHOICES: readonly Choice[] = [
  { id: "a1.once", label: "Once", style: "primary" },
  { id: "a1.session", label: "This session", style: "plain" },
  { id: "a1.no", label: "No", style: "danger" },
];

async function ask(to: Conversation, choices = CHOICES) {
  const [piece = { text: "" }] = discord.adapter.render({ kind: "question", markdown: "Run `npm test`?", choices });
  const { messageId } = await discord.send(to, piece, "question");
  const { chatId, threadId } = to;
  const at = threadId === undefined ? { chatId } : { chatId, threadId };
  return {
    ...{ messageId, piece },
    press: (label: string, userId: string = PERSON.id) => discord.emulator.press({ ...at, messageId, label, userId }),
    labels: () => discord.emulator.messages(chatId, threadId).at(-1)?.choices,
  };
}

/** The types of Discord's own answers to presses so far. */
function answers(): readonly number[] {
  return discord.emulator.interactionAnswers.map(({ type }) => type);
}

const DEFERRED_UPDATE = 6;

describe("a question with choices", () => {
  it("each button carries the id of its choice and nothing else", async () => {
    await ask(IN_GENERAL);
    const [sent] = discord.calls("POST /channels/:id/messages");
    expect(sent).toMatchObject({ content: "Run `npm test`?" });
    expect(sent?.components).toEqual([
      {
        type: 1,
        components: [
          { type: 2, style: 1, label: "Once", custom_id: "a1.once" },
          { type: 2, style: 2, label: "This session", custom_id: "a1.session" },
          { type: 2, style: 4, label: "No", custom_id: "a1.no" },
        ],
      },
    ]);
  });

  it("the most choices allowed are shown in rows of five, with whole labels", async () => {
    const { most, labelLength } = discord.adapter.choices;
    const label = (index: number) => `${index} `.padEnd(labelLength, "–");
    const many = Array.from({ length: most }, (_, index): Choice => {
      return { id: `q.${index}`, label: label(index), style: "plain" };
    });
    const { labels } = await ask(IN_DM, many);
    const { components } = discord.calls("POST /channels/:id/messages")[0] as {
      components: { components: unknown[] }[];
    };
    expect(components.map((row) => row.components.length)).toEqual([5, 5, 5, 5, 5]);
    expect(labels()).toEqual(many.map((choice) => choice.label));
  });

  it("an edit keeps the buttons that it has, and removes those that it has not", async () => {
    const { messageId, piece, labels } = await ask(IN_GENERAL);
    const edit = (changed: typeof piece) =>
      discord.adapter.edit(IN_GENERAL, messageId, changed, { key: "edit", signal: SIGNAL });
    await edit({ ...piece, text: "Shall I?" });
    expect(labels()).toEqual(["Once", "This session", "No"]);
    await edit({ text: "You said no." });
    expect(labels()).toBeUndefined();
  });
});

describe("a press", () => {
  it("a press is acknowledged once Hermes has stored it, without a word", async () => {
    const stored = gate();
    discord.onChoose = () => stored.pass();
    const { press } = await ask(IN_GENERAL);
    await press("No");
    await stored.reached;
    // An acknowledgement before this would have arrived before it.
    await discord.send(IN_DM, "Meanwhile", "other");
    expect(answers()).toEqual([]);
    stored.open();
    await discord.until(() => answers().length > 0);
    expect(discord.emulator.interactionAnswers).toMatchObject([{ type: DEFERRED_UPDATE, data: undefined }]);
    expect(discord.emulator.messages(CHANNEL.general)).toHaveLength(1);
  });

  it("a press is acknowledged in time even if Hermes is slow, and stored all the same", async () => {
    const stored = gate();
    discord.onChoose = async () => {
      if (discord.pressed.length === 1) throw new Error("the store is busy");
      await stored.pass();
    };
    const { press } = await ask(IN_GENERAL);
    await press("No");
    // Discord's patience ends after 3 s.
    await discord.until(() => {
      void discord.clock.advance(100);
      return answers().length > 0;
    });
    await stored.reached;
    stored.open();
    expect(answers()).toEqual([DEFERRED_UPDATE]);
    expect(discord.pressed).toMatchObject([{ choiceId: "a1.no" }, { choiceId: "a1.no" }]);
  });

  it("a press that is not stored when Hermes stops is left without acknowledgement", async () => {
    discord.onChoose = () => new Promise(() => {});
    const { press } = await ask(IN_GENERAL);
    await press("No");
    await discord.until(() => discord.pressed.length === 1);
    await discord.stop();
    await discord.clock.advance(3_000);
    expect(discord.calls(CALLBACK)).toEqual([]);
    discord.onChoose = async () => {};
    await discord.startAgain();
    await press("No");
    await discord.until(() => answers().length > 0);
    expect(discord.pressed).toHaveLength(2);
  });

  it.each([IN_DM, IN_GENERAL, IN_THREAD, IN_PRIVATE_THREAD])(
    "a press is reported with its place and its sender, after a restart too (%j)",
    async (conversation) => {
      const { press, messageId } = await ask(conversation);
      await discord.restart();
      await press("Once");
      await discord.until(() => answers().length > 0);
      const sender = { id: PERSON.id, name: PERSON.name };
      expect(discord.pressed).toEqual([{ conversation, messageId, choiceId: "a1.once", sender }]);
    },
  );

  it("a press in a thread that was archived meanwhile is reported in that thread", async () => {
    const { press } = await ask(IN_THREAD);
    await discord.stop();
    discord.emulator.archiveThread(CHANNEL.standingThread);
    await discord.startAgain();
    await press("Once");
    await discord.until(() => discord.pressed.length > 0);
    expect(discord.pressed).toMatchObject([{ conversation: IN_THREAD }]);
  });

  it("everybody's press is reported and acknowledged, where several press at once", async () => {
    const { press } = await ask(IN_GENERAL);
    const other = "300000000000000077";
    await Promise.all([press("Once"), press("Once"), press("No", other)]);
    await discord.until(() => answers().length === 3);
    expect(discord.pressed.map(({ choiceId, sender }) => [sender.id, choiceId])).toEqual([
      [PERSON.id, "a1.once"],
      [PERSON.id, "a1.once"],
      [other, "a1.no"],
    ]);
  });

  it("a press that Discord repeats is no problem, and no log has its token", async () => {
    discord.emulator.fail({ operation: "deliver", kind: { is: "redeliver" } });
    const { press } = await ask(IN_GENERAL);
    await press("Once");
    await discord.until(() => discord.logged.some((line) => line.includes("acknowledged")));
    expect(answers()).toEqual([DEFERRED_UPDATE]);
    expect(discord.logged.join()).not.toContain("interaction-secret");
    expect(discord.adapter.health()).toEqual({ state: "up" });
  });

  it("a press that Discord has given up is stored all the same", async () => {
    discord.emulator.fail({ operation: CALLBACK, kind: { is: "refuse", code: "10062" } });
    const { press } = await ask(IN_GENERAL);
    await press("Once");
    await discord.until(() => discord.logged.some((line) => line.includes("10062")));
    expect(discord.pressed).toHaveLength(1);
    expect(discord.adapter.health()).toEqual({ state: "up" });
  });

  it("a press in a channel that the bot does not see any more is acknowledged alone", async () => {
    const { press } = await ask(IN_THREAD);
    await discord.stop();
    discord.emulator.archiveThread(CHANNEL.standingThread);
    discord.emulator.deny(CHANNEL.general, "ViewChannel");
    await discord.startAgain();
    await press("Once");
    await discord.until(() => answers().length > 0);
    expect(discord.pressed).toEqual([]);
  });

  it("an event of a press without its fields is passed over", async () => {
    discord.emulator.gateway.dispatch("INTERACTION_CREATE", { id: "1", token: "t", type: 3 }, ~0);
    await discord.emulator.receive({ chatId: CHANNEL.dm, text: "Still there?" });
    expect(await discord.untilReceived(1)).toMatchObject([{ text: "Still there?" }]);
    expect(discord.adapter.health()).toEqual({ state: "up" });
  });
});

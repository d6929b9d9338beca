import type { Choice, Conversation } from "@hermes/core";
import { gate } from "@hermes/testing";
import type { CallbackQuery } from "grammy/types";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS } from "../emulator/index.ts";
import { type RunningTelegram, sendOptions, startTelegram, threadOptions } from "../test/running-telegram.ts";
import type { Bot } from "./bot-api.ts";
import { decodePress } from "./choices.ts";

let telegram: RunningTelegram;
beforeEach(async () => {
  telegram = await startTelegram();
});
afterEach(async () => {
  await telegram[Symbol.asyncDispose]();
});

const privateChat: Conversation = { platform: "telegram", chatId: CHATS.private, kind: "dm" };
const supergroup: Conversation = { platform: "telegram", chatId: CHATS.supergroup, kind: "group" };
const group: Conversation = { platform: "telegram", chatId: CHATS.group, kind: "group" };

const CHOICES: readonly Choice[] = [
  { id: "a1.once", label: "Once", style: "primary" },
  { id: "a1.session", label: "This session", style: "plain" },
  { id: "a1.no", label: "No", style: "danger" },
];

async function ask(to: Conversation, choices = CHOICES) {
  const [piece = { text: "" }] = telegram.adapter.render({ kind: "question", markdown: "Run `npm test`?", choices });
  const { messageId } = await telegram.adapter.send(to, piece, sendOptions);
  const { chatId } = to;
  return {
    messageId,
    press: (label: string, userId?: string) =>
      telegram.emulator.press({ chatId, messageId, label, ...(userId === undefined ? {} : { userId }) }),
  };
}

/** How many presses the apps of people show to be waiting. */
function waiting(): number {
  return telegram.emulator.world.waitingPresses.size;
}

/** What was reported when everybody has stopped waiting. */
async function reported() {
  await expect.poll(waiting).toBe(0);
  return telegram.pressed;
}

describe("a question with choices", () => {
  it("each button carries the id of its choice and nothing else", async () => {
    await ask(privateChat);
    expect(telegram.calls("sendMessage")[0]).toMatchObject({
      text: "Run npm test?",
      entities: [{ type: "code", offset: 4, length: 8 }],
      reply_markup: {
        inline_keyboard: [
          [
            { text: "Once", callback_data: "a1.once", style: "primary" },
            { text: "This session", callback_data: "a1.session" },
            { text: "No", callback_data: "a1.no", style: "danger" },
          ],
        ],
      },
    });
  });

  it("long labels stand below each other, whole", async () => {
    const label = "A label as long as Hermes may make it ——";
    await ask(
      privateChat,
      ["1", "2"].map((id) => ({ id, label, style: "plain" })),
    );
    const row = (callback_data: string) => [{ text: label, callback_data }];
    expect(telegram.calls("sendMessage")[0]?.reply_markup).toEqual({ inline_keyboard: [row("1"), row("2")] });
    expect(label).toHaveLength(telegram.adapter.choices.labelLength);
  });

  it("a question keeps its buttons when Telegram refuses the formatting", async () => {
    telegram.emulator.fail({ operation: "send", kind: { is: "refuse", code: "can't parse entities" } });
    await ask(privateChat);
    expect(telegram.emulator.messages(CHATS.private)).toMatchObject([{ choices: ["Once", "This session", "No"] }]);
  });
});

describe("a press", () => {
  it("a press is acknowledged and its update confirmed only once Hermes has stored it", async () => {
    const stored = gate();
    telegram.onChoose = () => stored.pass();
    const { press } = await ask(privateChat);
    await press("No");
    await stored.reached;
    // An acknowledgement before this would have arrived before it.
    await telegram.adapter.send(supergroup, { text: "Meanwhile" }, sendOptions);
    expect(waiting()).toBe(1);
    expect(telegram.calls("getUpdates").flatMap(({ offset }) => offset ?? [])).toEqual([]);
    stored.open();
    expect(await reported()).toMatchObject([{ choiceId: "a1.no" }]);
    expect(telegram.calls("answerCallbackQuery")).toEqual([{ callback_query_id: "1" }]);
  });

  it("a press comes again after a crash in between", async () => {
    telegram.onChoose = () => new Promise(() => {});
    const { press, messageId } = await ask(privateChat);
    await press("Once");
    await expect.poll(() => telegram.pressed.length).toBe(1);
    telegram.onChoose = async () => {};
    await telegram.restart();
    const again = { messageId, choiceId: "a1.once" };
    expect(await reported()).toMatchObject([again, again]);
  });

  it("a press is offered to Hermes until it is stored, and acknowledged then", async () => {
    telegram.onChoose = async () => {
      if (telegram.pressed.length <= 8) throw new Error("the store is busy");
    };
    const { press } = await ask(privateChat);
    await press("Once");
    await expect
      .poll(async () => {
        await telegram.clock.advance(30_000);
        return telegram.pressed.length;
      })
      .toBe(9);
    await expect.poll(waiting).toBe(0);
  });

  it("a press is reported with its topic and its sender, in groups and in private", async () => {
    for (const chatId of [CHATS.forum, CHATS.private]) {
      const { conversation } = await telegram.adapter.createHandoffThread(chatId, "Topic", threadOptions(chatId));
      const { press, messageId } = await ask(conversation);
      await press("Once");
      const sender = { id: "1001", name: "Ada", isBot: false };
      expect((await reported()).at(-1)).toEqual({ conversation, messageId, choiceId: "a1.once", sender });
    }
  });

  it("each person's press in a group is reported, and nobody is left waiting", async () => {
    const { press } = await ask(supergroup);
    await Promise.all([press("Once"), press("Once"), press("No", "2002")]);
    expect((await reported()).map(({ choiceId, sender }) => [sender.id, choiceId])).toEqual([
      ["1001", "a1.once"],
      ["1001", "a1.once"],
      ["2002", "a1.no"],
    ]);
  });

  it("a press on a message from before a group's upgrade is reported in the new group", async () => {
    const { press, messageId } = await ask(group);
    const chatId = telegram.emulator.upgradeGroup(CHATS.group);
    await expect.poll(() => telegram.moved.length).toBeGreaterThan(0);
    await press("Once");
    expect(await reported()).toMatchObject([{ conversation: { chatId }, messageId }]);
  });

  it("a press does not wait for another chat's that is still being stored", async () => {
    const stored = gate();
    telegram.onChoose = ({ conversation }) => (conversation.kind === "dm" ? stored.pass() : Promise.resolve());
    const { press } = await ask(privateChat);
    telegram.emulator.fail({ operation: "deliver", kind: { is: "out-of-order" } });
    await (await ask(supergroup)).press("No");
    await press("Once");
    await expect.poll(waiting).toBe(1);
    stored.open();
    expect(await reported()).toHaveLength(2);
  });
});

describe("a press on a message whose content Telegram hides", () => {
  beforeEach(() => {
    telegram.emulator.world.hidesContent = true;
  });

  it.each([supergroup, group])(
    "an old message's press is reported where there are no topics ($chatId)",
    async (conversation) => {
      const { press, messageId } = await ask(conversation);
      await press("Once");
      expect(await reported()).toMatchObject([{ conversation, messageId, choiceId: "a1.once" }]);
    },
  );

  it.each([CHATS.forum, CHATS.private])(
    "an old message's press that may be in a topic is only acknowledged (%s)",
    async (chatId) => {
      const { conversation } = await telegram.adapter.createHandoffThread(chatId, "Topic", threadOptions(chatId));
      const { press } = await ask(conversation);
      await press("Once");
      await expect.poll(() => telegram.calls("answerCallbackQuery").length).toBe(1);
      expect(await reported()).toEqual([]);
    },
  );
});

it.each([
  ["on a message that somebody passed on", { message: { forward_origin: { type: "user" } } }],
  ["on a message that stands in no chat that the bot sees", { inline_message_id: "1" }],
  ["of a button that carries nothing", { data: undefined, message: {} }],
])("a press %s is no event", (_, fields) => {
  const query = { id: "1", chat_instance: "1", data: "a1.once", from: { id: 1, is_bot: false, first_name: "Ada" } };
  expect(decodePress({ ...query, ...fields } as CallbackQuery, {} as Bot)).toBeNull();
});

describe("an acknowledgement", () => {
  it("an acknowledgement that comes too late changes nothing", async () => {
    const code = "query is too old and response timeout expired or query ID is invalid";
    telegram.emulator.fail({ operation: "answerCallbackQuery", kind: { is: "refuse", code } });
    const { press } = await ask(privateChat);
    await press("Once");
    await expect.poll(() => telegram.logged.join("\n")).toContain("a press could not be acknowledged");
    await telegram.clock.advance(10_000);
    expect(telegram.calls("answerCallbackQuery")).toHaveLength(1);
    expect(telegram.pressed).toHaveLength(1);
    expect(telegram.adapter.health()).toEqual({ state: "up" });
  });

  it("a lost acknowledgement is tried again, and the press is not reported again", async () => {
    const failure = { is: "rate-limit", retryAfterMs: 3_000 } as const;
    telegram.emulator.fail({ operation: "answerCallbackQuery", kind: failure });
    const { press } = await ask(privateChat);
    await press("Once");
    await expect.poll(() => telegram.logged.join("\n")).toContain("a press could not be acknowledged");
    expect(waiting()).toBe(1);
    await telegram.clock.advance(3_000);
    expect(await reported()).toHaveLength(1);
  });
});

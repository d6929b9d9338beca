import type { Choice, Piece } from "@hermes/core";
import { gate } from "@hermes/testing";
import { afterEach, describe, expect, it } from "vitest";
import { CLOUD_CHATS } from "../../emulator/index.ts";
import { at, sending, until } from "../harness.ts";
import { type RunningCloud, startCloud } from "../running-cloud.ts";

const { ada: ADA, bob: BOB } = CLOUD_CHATS;

let cloud: RunningCloud;
afterEach(() => cloud[Symbol.asyncDispose]());

const CHOICES: readonly Choice[] = [
  { id: "q1.yes", label: "Yes", style: "primary" },
  { id: "q1.show", label: "Show", style: "plain" },
  { id: "q1.no", label: "No", style: "danger" },
];

function question(markdown: string, choices = CHOICES): readonly Piece[] {
  return cloud.adapter.render({ kind: "question", markdown, choices });
}

/** Sends a question, and returns the id of its last message. */
async function ask(markdown = "Shall I **go on**?", choices = CHOICES): Promise<string> {
  const ids: string[] = [];
  for (const [index, piece] of question(markdown, choices).entries()) {
    ids.push((await cloud.adapter.send(at(ADA), piece, sending(`${markdown.length}-${index}`))).messageId);
  }
  return ids.at(-1) ?? "";
}

const asked = () => cloud.emulator.messages(ADA).filter(({ author }) => author === "bot");
const press = (messageId: string, label = "Yes") => cloud.emulator.press({ chatId: ADA, messageId, label });

/** Delivers a press that the emulator has no words for. */
function deliver(fields: Record<string, unknown>): void {
  const message = {
    ...{ from: ADA, id: "wamid.press", timestamp: "1700000000", type: "interactive" },
    context: { from: "15550783881", id: "wamid.question" },
    interactive: { type: "button_reply", button_reply: { id: "q1.yes", title: "Yes" } },
  };
  cloud.emulator.deliver("messages", { messages: [{ ...message, ...fields }] });
}

describe("a question", () => {
  it("shows choices as buttons below the text, and sends nothing but their ids along", async () => {
    cloud = await startCloud();
    const messageId = await ask();
    expect(asked()).toMatchObject([{ id: messageId, text: "Shall I go on?", choices: ["Yes", "Show", "No"] }]);
    expect(cloud.calls("POST messages")[0]).toMatchObject({
      type: "interactive",
      interactive: {
        type: "button",
        body: { text: "Shall I *go on*?" },
        action: {
          buttons: [
            { type: "reply", reply: { id: "q1.yes", title: "Yes" } },
            { type: "reply", reply: { id: "q1.show", title: "Show" } },
            { type: "reply", reply: { id: "q1.no", title: "No" } },
          ],
        },
      },
    });
  });

  it("a long question has its buttons on a short last message only", async () => {
    cloud = await startCloud();
    const words = Array.from({ length: 1_500 }, (_, index) => `word${index}`);
    const messageId = await ask(words.join(" "));
    const shown = asked();
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.map(({ choices }) => choices)).toEqual([
      ...Array(shown.length - 1).fill(undefined),
      ["Yes", "Show", "No"],
    ]);
    expect(shown.at(-1)?.id).toBe(messageId);
    expect(
      shown
        .map(({ text }) => text)
        .join(" ")
        .split(/\s+/),
    ).toEqual(words);
  });

  it("a question of 1,024 characters is one message, a longer one is two", async () => {
    cloud = await startCloud();
    await ask("x".repeat(1_024));
    expect(asked()).toHaveLength(1);
    await ask("x".repeat(1_025));
    expect(asked().map(({ choices }) => choices?.length)).toEqual([3, undefined, 3]);
  });

  it("a question with two choices of the same label is asked without buttons", async () => {
    cloud = await startCloud();
    await ask("Which?", [
      { id: "q1.a", label: "This one", style: "plain" },
      { id: "q1.b", label: "This one", style: "plain" },
    ]);
    expect(asked()).toMatchObject([{ text: "Which?" }]);
    expect(asked()[0]?.choices).toBeUndefined();
  });

  it("a question goes out as the template after 24 hours, without buttons", async () => {
    const template = { name: "hermes_note", language: "en" };
    cloud = await startCloud({ template }, (emulator) => {
      emulator.world.templates.push({ ...template, body: "Hermes asks: {{1}}" });
      emulator.closeWindow(ADA);
    });
    await ask();
    expect(asked()).toMatchObject([{ text: "Hermes asks: Shall I *go on*?" }]);
  });

  it("a question is refused like a text more than 24 hours after the person wrote", async () => {
    cloud = await startCloud({}, (emulator) => emulator.closeWindow(ADA));
    await expect(ask()).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      message: expect.stringContaining("24 hours"),
    });
  });
});

describe("a press", () => {
  it("a press tells conversation, message, choice and person, and is no message", async () => {
    cloud = await startCloud();
    const messageId = await ask();
    await press(messageId, "No");
    await cloud.emulator.receive({ chatId: ADA, text: "Hello" });
    await until(() => cloud.received.length === 1);
    const [{ conversation, sender } = { conversation: at(""), sender: {} }] = cloud.received;
    expect(sender).toMatchObject({ aliases: [ADA], name: "Ada" });
    expect(cloud.pressed).toEqual([{ conversation, messageId, choiceId: "q1.no", sender }]);
    expect(asked()).toHaveLength(1);
  });

  it("a webhook with a press is answered once Hermes has kept it", async () => {
    cloud = await startCloud();
    const kept = gate();
    cloud.onChoose = () => kept.pass();
    await press(await ask());
    await kept.reached;
    // The next webhook about the same person waits for the answer to this one.
    await cloud.emulator.receive({ chatId: ADA, text: "Hello" });
    expect(cloud.received).toEqual([]);
    kept.open();
    await until(() => cloud.received.length === 1);
    expect(cloud.pressed).toHaveLength(1);
  });

  it("a press that Hermes could not keep comes again", async () => {
    cloud = await startCloud();
    cloud.onChoose = async () => {
      if (cloud.pressed.length === 1) throw new Error("no room");
    };
    await press(await ask());
    await until(() => cloud.pressed.length === 1);
    await cloud.clock.advance(1_000);
    await until(() => cloud.pressed.length === 2);
    expect(cloud.pressed[0]).toEqual(cloud.pressed[1]);
  });

  it("presses at once and a press delivered twice are reported alike", async () => {
    cloud = await startCloud();
    const messageId = await ask();
    cloud.emulator.fail({ operation: "deliver", kind: { is: "redeliver" } });
    await Promise.all([press(messageId), press(messageId)]);
    await until(() => cloud.pressed.length === 3);
    expect(new Set(cloud.pressed.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it("an old button works after a restart, also for who hides the number by now", async () => {
    cloud = await startCloud();
    const messageId = await ask();
    await cloud.emulator.receive({ chatId: ADA, text: "Later." });
    await until(() => cloud.received.length === 1);
    cloud.emulator.world.person(ADA).hidesNumber = true;
    await cloud.restart();
    await press(messageId);
    await until(() => cloud.pressed.length === 1);
    const conversation = at(ADA);
    const sender = { id: expect.stringMatching(/^DE\.\d+$/), aliases: [ADA] };
    expect(cloud.pressed[0]).toMatchObject({ conversation, messageId, choiceId: "q1.yes", sender });
  });

  it("a stranger's press belongs to the stranger's own chat, whatever message it names", async () => {
    cloud = await startCloud();
    const messageId = await ask();
    deliver({ from: BOB, context: { from: "15550783881", id: messageId } });
    await until(() => cloud.pressed.length === 1);
    expect(cloud.pressed[0]).toMatchObject({ conversation: at(BOB), messageId, sender: { id: BOB } });
    expect(asked()).toHaveLength(1);
  });

  it("a press whose webhook names no message is reported by its choice", async () => {
    cloud = await startCloud();
    deliver({ context: undefined });
    await until(() => cloud.pressed.length === 1);
    expect(cloud.pressed[0]).toMatchObject({ conversation: at(ADA), choiceId: "q1.yes", messageId: "" });
  });

  it("a report that is no press is passed over, and the one behind it is not", async () => {
    cloud = await startCloud();
    deliver({ from: "15550783881" });
    deliver({ group_id: "Z3JvdXA6MTIz" });
    deliver({ from: undefined });
    deliver({ from: 49 });
    deliver({ interactive: { type: "button_reply", button_reply: { id: 7 } } });
    deliver({ interactive: null });
    deliver({});
    await until(() => cloud.pressed.length === 1);
    expect(cloud.pressed.map(({ conversation }) => conversation)).toEqual([at(ADA)]);
    expect(cloud.failures).toEqual([]);
  });

  it("readReceipts marks a press as read when “typing…” is shown beside it", async () => {
    cloud = await startCloud({ readReceipts: true });
    await press(await ask());
    await until(() => cloud.pressed.length === 1);
    expect(cloud.calls("POST messages (read)")).toEqual([]);
    const pressed = cloud.emulator.messages(ADA).at(-1)?.id;
    await cloud.adapter.typing?.(at(ADA), new AbortController().signal);
    expect(cloud.calls("POST messages (read)").map((call) => Object(call).message_id)).toEqual([pressed]);
  });
});

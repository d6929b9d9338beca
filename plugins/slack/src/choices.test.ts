import type { Choice, Piece } from "@hermes/core";
import { gate } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { at, opening, type RunningSlack, sending, startSlack, TEAM } from "../test/running-slack.ts";

let slack: RunningSlack;
beforeEach(async () => {
  slack = await startSlack();
});
afterEach(async () => {
  await slack[Symbol.asyncDispose]();
});

const CHOICES: readonly Choice[] = [
  { id: "q1.yes", label: "Yes", style: "primary" },
  { id: "q1.show", label: "Show", style: "plain" },
  { id: "q1.no", label: "No", style: "danger" },
];

function question(markdown: string, choices = CHOICES): readonly Piece[] {
  return slack.adapter.render({ kind: "question", markdown, choices });
}

/** Sends a short question, and returns its id. */
async function ask(chatId = "C0TEAM", threadId?: string, choices = CHOICES): Promise<string> {
  const [piece = { text: "" }] = question("Shall I **go on**?", choices);
  return (await slack.adapter.send(at(chatId, threadId), piece, sending())).messageId;
}

const asked = (chatId = "C0TEAM", threadId?: string) => slack.emulator.messages(chatId, threadId).at(-1);
const press = (messageId: string, label = "Yes") => slack.emulator.press({ chatId: "C0TEAM", messageId, label });
const isQuiet = () => slack.emulator.hub.unacknowledged === 0;

describe("a question", () => {
  it("shows choices as buttons below the text, and sends nothing but their ids along", async () => {
    await ask();
    expect(asked()).toMatchObject({ text: "Shall I go on?", choices: ["Yes", "Show", "No"] });
    const [{ blocks } = { blocks: undefined }] = slack.calls("chat.postMessage");
    const button = { type: "button", action_id: expect.any(String) };
    const text = (label: string) => ({ type: "plain_text", text: label, emoji: false });
    expect(JSON.parse(String(blocks)).at(-1)).toEqual({
      type: "actions",
      elements: [
        { ...button, text: text("Yes"), value: "q1.yes", style: "primary" },
        { ...button, text: text("Show"), value: "q1.show" },
        { ...button, text: text("No"), value: "q1.no", style: "danger" },
      ],
    });
  });

  it("a long question has its buttons on its last message only", async () => {
    const pieces = question("Look at this.\n\n".repeat(1_500));
    for (const [index, piece] of pieces.entries()) await slack.adapter.send(at("C0TEAM"), piece, sending(`k${index}`));
    const shown = slack.emulator.messages("C0TEAM").map(({ choices }) => choices);
    expect(shown).toEqual([...Array(pieces.length - 1).fill(undefined), ["Yes", "Show", "No"]]);
    expect(shown.length).toBeGreaterThan(1);
  });

  it("a label mentions nobody and is no markup", async () => {
    await ask("C0TEAM", undefined, [{ id: "q1.a", label: "*All* <!channel> :tada: <https://a.b|c>", style: "plain" }]);
    expect(asked()).toMatchObject({ choices: ["*All* <!channel> :tada: <https://a.b|c>"], notifies: [], links: [] });
  });

  it("Slack takes as many and as long choices as the adapter claims", async () => {
    const { most, labelLength } = slack.adapter.choices;
    const choices = Array.from({ length: most }, (_, index): Choice => {
      return { id: `q1.${index}`, label: String(index).padEnd(labelLength, "x"), style: "plain" };
    });
    await ask("C0TEAM", undefined, choices);
    expect(asked()?.choices).toHaveLength(most);
  });

  it("an edit without choices removes the buttons, and one with choices keeps them", async () => {
    const messageId = await ask();
    const [kept = { text: "" }] = question("Shall I still go on?");
    await slack.adapter.edit(at("C0TEAM"), messageId, kept, sending());
    expect(asked()).toMatchObject({ text: "Shall I still go on?", choices: ["Yes", "Show", "No"] });
    const [closed = { text: "" }] = slack.adapter.render({ kind: "question", markdown: "Ada said yes." });
    await slack.adapter.edit(at("C0TEAM"), messageId, closed, sending());
    expect(asked()).toMatchObject({ text: "Ada said yes." });
    expect(asked()?.choices).toBeUndefined();
  });

  it("a question whose blocks Slack refuses is asked without buttons", async () => {
    slack.emulator.fail({ operation: "send", kind: { is: "refuse", code: "invalid_blocks" } });
    await ask();
    expect(asked()).toMatchObject({ text: "Shall I go on?" });
    expect(asked()?.choices).toBeUndefined();
  });
});

describe("a press", () => {
  it("a press is acknowledged once Hermes has kept it, and sends nothing by itself", async () => {
    await slack[Symbol.asyncDispose]();
    slack = await startSlack({}, { ackWithinMs: 60_000 });
    const kept = gate();
    slack.onChoose = () => kept.pass();
    await press(await ask(), "No");
    await kept.reached;
    expect(slack.emulator.hub.unacknowledged).toBe(1);
    kept.open();
    await slack.until(isQuiet);
    expect(slack.pressed).toEqual([
      {
        conversation: at("C0TEAM"),
        messageId: asked()?.id,
        choiceId: "q1.no",
        sender: { id: "U0ADA", name: "Ada" },
      },
    ]);
    const written = slack.emulator.log.filter(({ method }) => method.startsWith("chat."));
    expect(written.map(({ method }) => method)).toEqual(["chat.postMessage"]);
    expect(slack.received).toEqual([]);
  });

  it("a press counts even if it is kept later than Slack waits", async () => {
    const kept = gate();
    slack.onChoose = () => kept.pass();
    const messageId = await ask();
    await press(messageId);
    await kept.reached;
    // Slack has given up on it, and shows the person a warning sign.
    await slack.until(isQuiet);
    kept.open();
    await press(messageId, "No");
    await slack.until(() => slack.pressed.length === 2 && isQuiet());
    expect(slack.pressed.map(({ choiceId }) => choiceId)).toEqual(["q1.yes", "q1.no"]);
    expect(slack.adapter.health()).toEqual({ state: "up" });
  });

  it("a press that Hermes could not keep is handed over again until it is kept", async () => {
    slack.onChoose = async () => {
      if (slack.pressed.length === 1) throw new Error("the store is busy");
    };
    await press(await ask());
    await slack.until(() => slack.logged.some((line) => line.includes("it is tried again")));
    await slack.clock.advance(1_000);
    await slack.until(() => slack.pressed.length === 2 && isQuiet());
    expect(slack.pressed[1]).toEqual(slack.pressed[0]);
    expect(slack.adapter.health()).toEqual({ state: "up" });
  });

  it("presses at once and a press delivered twice are reported alike", async () => {
    const messageId = await ask();
    slack.emulator.fail({ operation: "deliver", kind: { is: "redeliver" } });
    await Promise.all([press(messageId), press(messageId)]);
    await slack.until(() => slack.pressed.length === 3 && isQuiet());
    expect(new Set(slack.pressed.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it("reports whoever pressed, also after a restart and an edit", async () => {
    const messageId = await ask();
    await slack.restart();
    const [edited = { text: "" }] = question("Shall I still go on?");
    await slack.adapter.edit(at("C0TEAM"), messageId, edited, sending());
    await slack.emulator.press({ chatId: "C0TEAM", messageId, label: "Show", userId: "U0EVE" });
    await slack.until(() => slack.pressed.length === 1);
    expect(slack.pressed[0]).toMatchObject({ messageId, choiceId: "q1.show", sender: { id: "U0EVE" } });
  });

  it.each(["D0ADA", "C0TEAM"])("a press belongs to the thread that the question stands in (%s)", async (chatId) => {
    const { conversation } = await slack.adapter.createHandoffThread(chatId, "Ours", opening(chatId));
    const messageId = await ask(chatId, conversation.threadId);
    await slack.emulator.press({ chatId, messageId, label: "Yes" });
    await slack.until(() => slack.pressed.length === 1);
    expect(slack.pressed[0]?.conversation).toEqual(conversation);
  });
});

/** Sends a payload that the emulator has no words for. */
function send(fields: Record<string, unknown>): void {
  const payload = {
    type: "block_actions",
    team: { id: TEAM },
    user: { id: "U0ADA", username: "ada", team_id: TEAM },
    channel: { id: "C0TEAM", name: "team" },
    container: { type: "message", message_ts: "2.0", channel_id: "C0TEAM" },
    message: { type: "message", ts: "2.0", user: "U0HERMES", bot_id: "B0HERMES" },
    actions: [{ type: "button", action_id: "hermes_choice_0", block_id: "b", value: "q1.yes" }],
    ...fields,
  };
  slack.emulator.hub.push({ type: "interactive", payload: () => payload });
}

describe("what Slack sends for a press", () => {
  const ours = { type: "message", ts: "2.0", bot_id: "B0HERMES" };

  it.each([
    ["its container", { container: { thread_ts: "1.0" } }, "1.0"],
    ["its message", { message: { ...ours, thread_ts: "1.0" } }, "1.0"],
    ["neither", { container: null }, undefined],
    ["a root with answers", { message: { ...ours, thread_ts: "2.0" } }, undefined],
  ])("a press says its thread by %s", async (_, fields, threadId) => {
    send(fields);
    await slack.until(() => slack.pressed.length === 1);
    expect(slack.pressed[0]).toMatchObject({ conversation: at("C0TEAM", threadId), messageId: "2.0" });
  });

  it("the adapter acknowledges an action that is no choice, and does nothing else", async () => {
    send({ message: undefined, container: { type: "message", is_ephemeral: true } });
    send({ message: { type: "message", ts: "2.0", user: "U0ADA" } });
    send({ message: { type: "message", ts: "2.0", user: "U0HERMES2", bot_id: "B0HERMES2" } });
    send({ actions: [] });
    send({ actions: [{ type: "button", action_id: "hermes_choice_0" }] });
    send({ actions: [{ type: "button", action_id: "another", value: "q1.yes" }] });
    send({ actions: [{ type: "button", action_id: 7, value: { id: "q1.yes" } }] });
    send({ channel: undefined, team: null });
    send({ type: "view_submission", actions: undefined, view: { id: "V" } });
    await slack.until(isQuiet);
    send({});
    await slack.until(() => slack.pressed.length === 1);
    expect(slack.pressed.map(({ choiceId }) => choiceId)).toEqual(["q1.yes"]);
    expect([slack.received, slack.failures]).toEqual([[], []]);
    expect(slack.logged.filter((line) => line.includes("was not taken"))).toEqual([]);
  });
});

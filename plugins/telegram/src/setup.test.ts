import { readFileSync } from "node:fs";
import type { Examination } from "@hermes/core";
import { setupContext } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, startTelegramEmulator, type TelegramEmulator } from "../emulator/index.ts";
import { startTelegram } from "../test/running-telegram.ts";
import { telegramOptions } from "./config.ts";
import { setup } from "./setup.ts";

let emulator: TelegramEmulator;
beforeEach(async () => {
  emulator = await startTelegramEmulator();
});
afterEach(() => emulator.close());

function examine(config: Record<string, unknown> = {}): Promise<Examination> {
  return setup.examine(telegramOptions.parse({ ...emulator.options, ...config }), setupContext());
}

/** What is said of a home channel that people may read along in, and who is answered there. */
async function findingsOf(chatId: string, more: Record<string, unknown> = {}) {
  const { findings } = await examine({ homeChannel: { chatId, shared: true, ...more }, allowedUsers: ["1001"] });
  return findings;
}

const problem = (message: RegExp, hint: RegExp) =>
  expect.objectContaining({
    state: "problem",
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  });
const warning = (message: RegExp, hint: RegExp) =>
  expect.objectContaining({
    state: "warning",
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  });

describe("the token", () => {
  it("names the bot and the page on which one writes to it", async () => {
    const { account, findings } = await examine();
    expect(account).toEqual({
      id: "110201543",
      name: "@hermes_emulated_bot",
      link: "https://t.me/hermes_emulated_bot",
    });
    expect(findings.map(({ state }) => state)).toEqual(["ok", "ok"]);
  });

  it("a wrong token is a problem that names where to copy it from, and is not repeated", async () => {
    const token = "110201543:AAnobody-ever-had-this-token-0000000";
    const { account, findings } = await examine({ token });
    expect(account).toBeNull();
    expect(findings).toEqual([problem(/does not accept the token/, /@BotFather.*API Token/)]);
    expect(JSON.stringify(findings)).not.toContain("nobody-ever-had");
  });

  it("a Telegram that cannot be reached is a problem without the call's address", async () => {
    const { token } = emulator.options;
    const { findings } = await examine({ apiRoot: "http://127.0.0.1:1" });
    expect(findings).toEqual([problem(/cannot be reached: the connection failed/, /network.*HTTPS_PROXY/)]);
    expect(JSON.stringify(findings)).not.toContain(token);
  });

  it("a server that answers and is no Bot API is a problem", async () => {
    const { findings } = await examine({ apiRoot: `${emulator.url}/elsewhere` });
    expect(findings).toEqual([problem(/not a Bot API|not its API|not accept/, /./)]);
  });

  it("a check whose time is over ends with a problem", async () => {
    emulator.fail({ operation: "getMe", kind: { is: "hang" } });
    const context = setupContext({ signal: AbortSignal.timeout(50) });
    const { findings } = await setup.examine(telegramOptions.parse(emulator.options), context);
    expect(findings).toEqual([problem(/it took too long/, /network/)]);
  });
});

describe("the bot's settings", () => {
  it("warns that a webhook takes the messages", async () => {
    emulator.world.webhook = "https://elsewhere.example/a-secret-path";
    const { findings } = await examine();
    expect(findings[0]).toEqual(warning(/webhook is set/, /bot of its own/));
    expect(JSON.stringify(findings)).not.toContain("a-secret-path");
    expect(emulator.world.webhook).not.toBe("");
  });

  it("warns that there are no topics in private chats", async () => {
    emulator.world.hasTopicsInPrivate = false;
    const expected = warning(/Threaded Mode is off/, /Open App.*Threaded Mode/);
    expect((await examine()).findings[0]).toEqual(expected);
    expect((await examine({ homeChannel: CHATS.private })).findings[0]).toEqual(expected);
  });

  it("warns that privacy mode hides what is written in a group", async () => {
    emulator.world.readsAllGroupMessages = false;
    expect(await findingsOf(CHATS.supergroup)).toContainEqual(warning(/Privacy mode/, /administrator.*setprivacy/));
    // As an administrator the bot hears everything.
    expect(JSON.stringify(await findingsOf(CHATS.forum))).not.toContain("Privacy mode");
  });
});

describe("the home channel", () => {
  it.each([
    ["the private chat", CHATS.private, "private chat with Ada"],
    ["a forum", CHATS.forum, 'forum "A forum"'],
  ])("finds %s in order", async (_, chatId, name) => {
    const findings = await findingsOf(chatId);
    expect(findings.map(({ state }) => state)).not.toContain("problem");
    expect(findings.map(({ state }) => state)).not.toContain("warning");
    expect(findings.map(({ message }) => message).join()).toContain(name);
  });

  it("tells how many read along in a group", async () => {
    expect((await findingsOf(CHATS.forum)).at(-1)?.message).toBe(
      "It has 2 members, who read what is handed off there.",
    );
  });

  it("a chat that the bot does not see is a problem with the likely causes", async () => {
    expect((await findingsOf("42"))[0]).toEqual(problem(/does not know the chat/, /id is wrong.*Start.*not a member/s));
  });

  it.each(["left", "kicked"] as const)("asks to add a bot again that has %s", async (status) => {
    emulator.setBotStatus(CHATS.forum, status);
    expect((await findingsOf(CHATS.forum))[0]).toEqual(problem(/not a member|kicked/, /Add .* to the group/));
  });

  it("a group in which the bot may not write is a problem", async () => {
    emulator.setRight(CHATS.supergroup, "can_send_messages", false);
    expect((await findingsOf(CHATS.supergroup))[0]).toEqual(problem(/may not write in "A supergroup"/, /permits/));
    emulator.setMembersMayWrite(CHATS.group, false);
    expect((await findingsOf(CHATS.group))[0]).toEqual(problem(/may not write in "A plain group"/, /permits/));
  });

  it("the right that the bot lacks to open topics is named", async () => {
    emulator.setRight(CHATS.forum, "can_manage_topics", false);
    const hint = /administrator.*Manage Topics/;
    expect((await findingsOf(CHATS.forum))[0]).toEqual(warning(/may not open topics.*lands in the group/, hint));
    const required = await findingsOf(CHATS.forum, { requireThread: true });
    expect(required[0]).toEqual(problem(/may not open topics.*no handoff can land/, hint));
    // In one topic nothing is opened.
    const topic = await findingsOf(CHATS.forum, { threadId: emulator.openThread(CHATS.forum, "Hermes") });
    expect(JSON.stringify(topic)).not.toContain("open topics");
  });

  it("the place where a group's topics are turned on is named", async () => {
    expect((await findingsOf(CHATS.supergroup))[0]).toEqual(warning(/has no topics/, /Edit, Topics/));
  });

  it("asks whether a group is meant, and whom the bot answers there", async () => {
    const { findings } = await examine({ homeChannel: CHATS.forum });
    expect(findings[0]).toEqual(problem(/2 members would read/, /shared: true/));
    expect(findings[1]).toEqual(warning(/nobody is answered/, /allowedUsers/));
  });

  it("cannot be a channel", async () => {
    expect((await findingsOf(CHATS.channel))[0]).toEqual(problem(/is a channel/, /Take a group/));
  });

  it("follows a group that has become a supergroup", async () => {
    emulator.upgradeGroup(CHATS.group);
    expect(JSON.stringify(await findingsOf(CHATS.group))).toContain('group \\"A plain group\\"');
  });
});

it("a gateway that runs loses no message to a check, and nothing is changed", async () => {
  await using telegram = await startTelegram();
  const { emulator: platform } = telegram;
  const options = telegramOptions.parse({ ...platform.options, homeChannel: { chatId: CHATS.forum, shared: true } });
  const before = platform.log.length;
  for (const text of ["one", "two", "three"]) {
    await Promise.all([setup.examine(options, setupContext()), platform.receive({ chatId: CHATS.private, text })]);
  }
  await telegram.untilReceived(3);
  expect(telegram.received.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  const asked = new Set(platform.log.slice(before).map(({ method }) => method));
  asked.delete("getUpdates");
  expect([...asked].toSorted()).toEqual(["getChat", "getChatMember", "getChatMemberCount", "getMe", "getWebhookInfo"]);
});

it("README.md names the steps, the variable and the settings that the set-up names", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8").replaceAll("**", "");
  const [question] = setup.ways[0]?.questions ?? [];
  expect(readme).toContain(`export ${question?.variable}=`);
  expect(readme).toContain(`(${question?.page})`);
  for (const words of ["/newbot", "Open App", "Bot Settings", "Threaded Mode"]) {
    expect(readme).toContain(words);
    expect(question?.steps?.join()).toContain(words);
  }
  for (const words of ["Manage Topics", "/setprivacy", "Edit, Topics"]) expect(readme).toContain(words);
});

import { readFileSync } from "node:fs";
import type { Examination } from "@hermes/core";
import { setupContext } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL, type DiscordEmulator, startDiscordEmulator } from "../emulator/index.ts";
import { startDiscord } from "../test/running-discord.ts";
import { discordOptions } from "./config.ts";
import { INVITED, inviteLink, labelOf, missingRights } from "./rights.ts";
import { setup } from "./setup.ts";

const ADA = "300000000000000001";

let emulator: DiscordEmulator;
beforeEach(async () => {
  emulator = await startDiscordEmulator();
});
afterEach(() => emulator.close());

function examine(config: Record<string, unknown> = {}): Promise<Examination> {
  return setup.examine(
    discordOptions.parse({ ...emulator.options, ...config }),
    setupContext({ clock: emulator.world.clock }),
  );
}

async function findingsOf(chatId: string, more: Record<string, unknown> = {}) {
  return (await examine({ homeChannel: { chatId, shared: true, ...more }, operators: [ADA] })).findings;
}

const found = (state: string) => (message: RegExp, hint: RegExp) => ({
  state,
  message: expect.stringMatching(message),
  hint: expect.stringMatching(hint),
});
const problem = found("problem");
const warning = found("warning");

describe("the token", () => {
  it("names the bot, its intent and its server", async () => {
    const { account, findings } = await examine();
    const id = "200000000000000001";
    expect(account).toEqual({ id, name: "@hermes", link: `https://discord.com/users/${id}` });
    expect(findings.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
    expect(findings.at(-1)?.message).toContain("Emulated server");
  });

  it("a wrong token is a problem that names where to get another, and is not repeated", async () => {
    const { account, findings } = await examine({ token: "emulated-bot-token.wrong.0000" });
    expect(account).toBeNull();
    expect(findings).toEqual([problem(/does not accept the token/, /Developer Portal.*Reset Token/)]);
    expect(JSON.stringify(findings)).not.toContain("wrong.0000");
  });

  it("a Discord that cannot be reached is a problem", async () => {
    expect((await examine({ apiUrl: "http://127.0.0.1:1" })).findings).toEqual([
      problem(/cannot be reached/, /network/),
    ]);
  });

  it("a check whose time is over ends with a problem", async () => {
    emulator.fail({ operation: "GET /applications/@me", kind: { is: "hang" } });
    const context = setupContext({ signal: AbortSignal.timeout(100) });
    const { account, findings } = await setup.examine(discordOptions.parse(emulator.options), context);
    expect(account).not.toBeNull();
    expect(findings[0]).toEqual(problem(/it took too long/, /network/));
  });

  it("the missing intent is a problem that names the switch", async () => {
    emulator.world.isMessageContentAllowed = false;
    expect((await examine()).findings[0]).toEqual(problem(/Message Content Intent is off/, /page “Bot”/));
  });

  it("a bot in no server comes with its invitation", async () => {
    emulator.world.isInServer = false;
    const hint =
      /oauth2\/authorize\?client_id=200000000000000002&scope=bot\+applications\.commands&permissions=328565115904$/;
    expect((await examine()).findings[0]).toEqual(warning(/in no server/, hint));
  });
});

describe("the home channel", () => {
  it.each([
    ["a text channel", CHANNEL.general, "#general"],
    ["an announcement channel", CHANNEL.announcements, "#announcements"],
    ["a forum", CHANNEL.forum, "#forum"],
    ["a thread", CHANNEL.standingThread, "“standing thread” in #general"],
    ["a private thread", CHANNEL.privateThread, "the private thread “private thread” in #general"],
    ["direct messages", CHANNEL.dm, "direct messages with Ada"],
    ["a person", ADA, "direct messages with Ada"],
  ])("finds %s in order", async (_, chatId, name) => {
    const findings = await findingsOf(chatId);
    expect(findings.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(findings.map(({ message }) => message).join()).toContain(name);
  });

  it("a channel that is not there is a problem with the invitation", async () => {
    expect((await findingsOf("499999999999999999"))[0]).toEqual(problem(/no channel or person/, /Copy ID.*oauth2/));
    expect((await findingsOf("general"))[0]).toEqual(problem(/“general” is no id/, /Copy ID/));
  });

  it("a channel in a server that the bot was removed from is a problem", async () => {
    emulator.world.isInServer = false;
    const [first, second] = await findingsOf(CHANNEL.general);
    expect(first).toEqual(problem(/no channel or person .* can see/, /invite the bot to that server.*oauth2/));
    expect(second).toEqual(warning(/in no server/, /oauth2/));
    expect((await findingsOf(ADA))[0]).toEqual(problem(/Ada, who shares no server/, /oauth2/));
  });

  it("a voice channel is no channel to write in", async () => {
    expect((await findingsOf(CHANNEL.voice))[0]).toEqual(problem(/#voice is no channel to write in/, /text channel/));
  });

  it("rights without which nothing can be written are named", async () => {
    emulator.denyUntold(CHANNEL.general, "SendMessages", "CreatePublicThreads");
    expect((await findingsOf(CHANNEL.general))[0]).toEqual(problem(/lacks Send Messages in #general/, /its role/));
    emulator.denyUntold(CHANNEL.forum, "SendMessages", "SendMessagesInThreads");
    const inForum = problem(/lacks Create Posts and Send Messages in Posts in #forum/, /its role/);
    expect((await findingsOf(CHANNEL.forum))[0]).toEqual(inForum);
  });

  it("rights without which less works are named with what does not", async () => {
    emulator.denyUntold(CHANNEL.general, "CreatePublicThreads", "ReadMessageHistory", "AttachFiles");
    const [first, ...others] = await findingsOf(CHANNEL.general);
    expect(first).toEqual(warning(/lacks Create Public Threads.*lands in the channel itself/, /its role/));
    expect(others[0]).toEqual(warning(/lacks Read Message History.*no gateway runs/, /its role/));
    expect(others[1]).toEqual(warning(/lacks Attach Files.*files/, /its role/));
    const required = await findingsOf(CHANNEL.general, { requireThread: true });
    expect(required[0]).toEqual(problem(/no handoff can land there/, /its role/));
  });

  it("a thread that is locked takes nothing", async () => {
    emulator.lockThread(CHANNEL.privateThread);
    emulator.denyUntold(CHANNEL.general, "ManageThreads");
    expect((await findingsOf(CHANNEL.privateThread))[0]).toEqual(problem(/is locked/, /Unlock/));
  });

  it("a bot that is timed out may not write", async () => {
    emulator.world.timedOutUntil = emulator.world.clock.now() + 60_000;
    expect((await findingsOf(CHANNEL.general))[0]).toEqual(problem(/lacks Send Messages/, /its role/));
  });

  it("a forum that needs a tag is a problem that lists the tags", async () => {
    expect((await findingsOf(CHANNEL.taggedForum))[0]).toEqual(problem(/needs a tag/, /“sessions”, “questions”/));
    expect(JSON.stringify(await findingsOf(CHANNEL.taggedForum, { tag: "questions" }))).not.toContain("problem");
  });

  it("a channel that others read has to be meant, and somebody answered there", async () => {
    const { findings } = await examine({ homeChannel: CHANNEL.general });
    expect(findings[0]).toEqual(problem(/Everybody who sees that channel would read/, /shared: true/));
    expect(findings[1]).toEqual(warning(/names nobody/, /operators/));
  });
});

it("a gateway that runs loses no message to a check, and nothing is changed", async () => {
  await using discord = await startDiscord({ registerCommands: false });
  const { emulator: platform } = discord;
  const options = discordOptions.parse({ ...platform.options, homeChannel: { chatId: CHANNEL.general, shared: true } });
  const before = platform.log.length;
  for (const text of ["one", "two", "three"]) {
    await Promise.all([setup.examine(options, setupContext()), platform.receive({ chatId: CHANNEL.dm, text })]);
  }
  await discord.untilReceived(3);
  expect(discord.received.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  const asked = platform.log.slice(before).map(({ method }) => method);
  expect(asked).toContain("GET /guilds/:id/roles");
  expect(asked.filter((method) => !method.startsWith("GET ") || method.includes("gateway"))).toEqual([]);
});

describe("rights", () => {
  const [everyone, own, guildId, userId] = ["1", "2", "1", "9"];
  const roles = [
    { id: everyone, permissions: String((1n << 10n) | (1n << 11n)) },
    { id: own, permissions: "0" },
  ];
  const source = { guildId, userId, memberRoles: [own], roles, overwrites: [], isTimedOut: false };
  const overwrite = (id: string, allow: bigint, deny: bigint) => ({ id, allow: String(allow), deny: String(deny) });

  it("an overwrite of a role goes before everybody's, and the bot's own before both", () => {
    const send = 1n << 11n;
    const needed = ["SendMessages"] as const;
    const withOverwrites = (...overwrites: ReturnType<typeof overwrite>[]) =>
      missingRights(needed, { ...source, overwrites });
    expect(withOverwrites()).toEqual([]);
    expect(withOverwrites(overwrite(everyone, 0n, send))).toEqual(needed);
    expect(withOverwrites(overwrite(everyone, 0n, send), overwrite(own, send, 0n))).toEqual([]);
    expect(withOverwrites(overwrite(own, send, 0n), overwrite(userId, 0n, send))).toEqual(needed);
  });

  it("a bot lacks every right in a hidden channel; an administrator lacks none", () => {
    const hidden = [overwrite(everyone, 0n, 1n << 10n)];
    expect(missingRights(["ViewChannel", "SendMessages"], { ...source, overwrites: hidden })).toHaveLength(2);
    const admin = [...roles, { id: "3", permissions: String(1n << 3n) }];
    const memberRoles = [own, "3"];
    expect(missingRights(INVITED, { ...source, roles: admin, memberRoles, overwrites: hidden })).toEqual([]);
  });
});

describe("README.md", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8").replaceAll(/\s+/g, " ");

  it("README.md names the steps, the variable and the settings that the set-up names", () => {
    const [question] = setup.ways[0]?.questions ?? [];
    expect(readme).toContain(`\`${question?.variable}\``);
    expect(readme).toContain(`(${question?.page})`);
    for (const words of ["New Application", "Message Content Intent", "Save Changes", "Reset Token", "Yes, do it!"]) {
      expect(readme).toContain(words);
      expect(question?.steps?.join()).toContain(words);
    }
  });

  it("README.md lists the rights that the invitation asks for", () => {
    const [, list = ""] = /bot permissions (.*?)\. Open the generated URL/.exec(readme) ?? [];
    const named = [...list.matchAll(/\*\*(.*?)\*\*/g)].map(([, name = ""]) =>
      name.replace("View Channels", "View Channel"),
    );
    expect(named.toSorted()).toEqual(INVITED.map((right) => labelOf(right, false)).toSorted());
    expect(inviteLink("7")).toContain("client_id=7&");
  });
});

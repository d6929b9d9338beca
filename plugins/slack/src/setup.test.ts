import { readFileSync } from "node:fs";
import type { Examination } from "@hermes/core";
import { setupContext } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SlackEmulator, startSlackEmulator } from "../emulator/index.ts";
import { startSlack } from "../test/running-slack.ts";
import { slackOptions } from "./config.ts";
import { setup } from "./setup.ts";

let emulator: SlackEmulator;
beforeEach(async () => {
  emulator = await startSlackEmulator();
});
afterEach(() => emulator.close());

function examine(config: Record<string, unknown> = {}): Promise<Examination> {
  return setup.examine(slackOptions.parse({ ...emulator.options, ...config }), setupContext());
}

async function findingsOf(chatId: string, more: Record<string, unknown> = {}) {
  return (await examine({ homeChannel: { chatId, shared: true, ...more }, operators: ["U0ADA"] })).findings;
}

const found = (state: string) => (message: RegExp, hint: RegExp) => ({
  state,
  message: expect.stringMatching(message),
  hint: expect.stringMatching(hint),
});
const problem = found("problem");
const warning = found("warning");

describe("the tokens", () => {
  it("name the bot, its workspace and the page on which one writes to it", async () => {
    const { account, findings } = await examine();
    const link = "https://slack.com/app_redirect?app=A0HERMES&team=T0EMULATOR";
    expect(account).toEqual({ id: "U0HERMES", name: "@hermes", link });
    expect(findings).toEqual([
      { state: "ok", message: "Slack accepts the bot token: the bot is @hermes in the workspace “Emulator”." },
      { state: "ok", message: "Slack accepts the app-level token." },
    ]);
  });

  it("a wrong bot token is a problem that names where to copy it, and is not repeated", async () => {
    const { account, findings } = await examine({ botToken: "xoxb-nobody-ever-had-this" });
    expect(account).toBeNull();
    expect(findings[0]).toEqual(problem(/does not accept the bot token/, /Bot User OAuth Token/));
    expect(findings[1]?.state).toBe("ok");
    expect(JSON.stringify(findings)).not.toContain("nobody-ever-had");
  });

  it("a wrong app-level token is a problem of its own", async () => {
    const { account, findings } = await examine({ appToken: "xapp-1-A0HERMES-nobody-ever-had-this" });
    expect(account).not.toBeNull();
    expect(findings[0]).toEqual(problem(/does not accept the app-level token/, /App-Level Tokens/));
    expect(JSON.stringify(findings)).not.toContain("nobody-ever-had");
  });

  it("an app-level token without connections:write is a problem that names the scope", async () => {
    emulator.workspace.appScopes.clear();
    expect((await examine()).findings[0]).toEqual(problem(/lacks the scope connections:write/, /Generate another/));
  });

  it("tokens of two apps are a problem", async () => {
    const { findings } = await examine({ appToken: "xapp-1-A0ANOTHER-1234-emulated" });
    expect(findings).toContainEqual(problem(/two apps: .* A0HERMES, .* A0ANOTHER/, /same app/));
  });

  it("each scope that is missing is named", async () => {
    emulator.workspace.scopes.delete("im:history");
    emulator.workspace.scopes.delete("files:write");
    expect((await examine()).findings[0]).toEqual(problem(/lacks the scopes files:write, im:history\./, /reinstall/));
  });

  it("a Slack that cannot be reached is a problem", async () => {
    const { findings } = await examine({ apiUrl: "http://127.0.0.1:1" });
    expect(findings).toEqual([problem(/cannot be reached/, /network/)]);
    expect(JSON.stringify(findings)).not.toMatch(/xoxb|xapp-1/);
  });

  it("a check whose time is over ends with a problem", async () => {
    emulator.fail({ operation: "auth.test", kind: { is: "hang" } });
    const context = setupContext({ signal: AbortSignal.timeout(50) });
    const { findings } = await setup.examine(slackOptions.parse(emulator.options), context);
    expect(findings[0]).toEqual(problem(/it took too long/, /network/));
  });
});

describe("the home channel", () => {
  it.each([
    ["a direct message", "D0ADA", "the direct message with Ada"],
    ["a channel", "C0TEAM", "#team"],
    ["a private channel", "C0PRIVATE", "the private channel #private"],
  ])("finds %s in order", async (_, chatId, name) => {
    const findings = await findingsOf(chatId);
    expect(findings.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(findings.map(({ message }) => message).join()).toContain(name);
  });

  it("tells how many read along in a channel", async () => {
    expect((await findingsOf("C0TEAM")).at(-1)?.message).toBe("Its 2 members read what is handed off there.");
  });

  it("a channel that the bot was taken out of is a problem with the invitation", async () => {
    emulator.setMember("C0TEAM", false);
    expect((await findingsOf("C0TEAM"))[0]).toEqual(problem(/not in #team/, /\/invite @hermes/));
    emulator.setMember("C0PRIVATE", false);
    expect((await findingsOf("C0PRIVATE"))[0]).toEqual(problem(/not a member.*private channels/, /invite/));
  });

  it("a channel that is not there, or is archived, is a problem", async () => {
    expect((await findingsOf("C0NOWHERE"))[0]).toEqual(problem(/cannot use the channel C0NOWHERE/, /invite/i));
    emulator.workspace.channel("C0TEAM").isArchived = true;
    expect((await findingsOf("C0TEAM"))[0]).toEqual(problem(/#team, is archived/, /Unarchive/));
  });

  it("a person in the place of a channel is a problem", async () => {
    expect((await findingsOf("U0ADA"))[0]).toEqual(problem(/U0ADA is a person/, /direct message \(D…\)/));
  });

  it("a thread that is gone is a problem, and one that is there is not", async () => {
    const threadId = emulator.openThread("C0TEAM", "Hermes");
    expect((await findingsOf("C0TEAM", { threadId })).map(({ state }) => state)).not.toContain("problem");
    expect((await findingsOf("C0TEAM", { threadId: "1.000001" }))[0]).toEqual(problem(/thread .* is gone/, /!sethome/));
  });

  it("a channel that others read has to be meant, and somebody answered there", async () => {
    const { findings } = await examine({ homeChannel: "C0TEAM" });
    expect(findings[0]).toEqual(problem(/2 members would read .* #team/, /shared: true/));
    expect(findings[1]).toEqual(warning(/names nobody/, /operators/));
  });
});

it("a gateway that runs loses no message to a check, and nothing is changed", async () => {
  await using slack = await startSlack();
  const { emulator: platform } = slack;
  const options = slackOptions.parse({ ...platform.options, homeChannel: { chatId: "C0TEAM", shared: true } });
  const before = platform.log.length;
  for (const text of ["one", "two", "three"]) {
    await Promise.all([setup.examine(options, setupContext()), platform.receive({ chatId: "D0ADA", text })]);
  }
  await slack.untilReceived(3);
  expect(slack.received.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  const asked = platform.log.slice(before).map(({ method }) => method);
  expect(asked).toEqual(
    expect.arrayContaining(["apps.connections.open", "auth.test", "bots.info", "conversations.info"]),
  );
  expect(asked.filter((method) => /^(?:chat|files|conversations\.(?!info|history|replies))/.test(method))).toEqual([]);
});

describe("the steps", () => {
  const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");

  it("the page for a new app holds the manifest that README.md has people paste", () => {
    const page = new URL(setup.ways[0]?.questions[0]?.page ?? "");
    expect(`${page.origin}${page.pathname}`).toBe("https://api.slack.com/apps");
    expect(page.searchParams.get("new_app")).toBe("1");
    expect(JSON.parse(page.searchParams.get("manifest_json") ?? "")).toEqual(JSON.parse(read("manifest.json")));
    expect(read("README.md")).toContain("[manifest.json](manifest.json)");
  });

  it("README.md names the steps and the variables that the set-up names", () => {
    const readme = read("README.md").replaceAll("**", "").replaceAll("`", "").replaceAll(" → ", ", ");
    const questions = setup.ways[0]?.questions ?? [];
    const steps = questions.flatMap((question) => question.steps).join();
    for (const { variable } of questions) expect(readme).toContain(`process.env.${variable}`);
    const words = ["Install App, Install to Workspace, Allow", "Bot User OAuth Token", "Add Scope connections:write"];
    for (const one of [...words, "Basic Information, App-Level Tokens, Generate Token and Scopes"]) {
      expect(readme).toContain(one);
      expect(steps).toContain(one);
    }
  });
});

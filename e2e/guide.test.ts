import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PluginSetup } from "@hermes/core";
import { setupContext } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import { HermesMachine } from "./support/hermes-process.ts";
import { wholeFilesIn } from "./support/markdown-page.ts";
import { startPager } from "./support/pager.ts";

const guide = readFileSync(resolve(import.meta.dirname, "../CONTRIBUTING.md"), "utf8");
const TOKEN = "pager-token-1";

describe("the plugin that CONTRIBUTING.md shows, copied as it stands", () => {
  it("answers a person, takes a session that is handed off, and goes on with it", async () => {
    await using pager = await startPager(TOKEN, "42");
    await using machine = machineWithPlugin({ url: pager.url, token: TOKEN, homeChannel: "42" });
    await machine.startGateway();

    pager.write("Is anybody there?");
    await machine.until(() => pager.sent.length === 1, "an answer");
    expect(pager.sent[0]).toContain("Is anybody there?");

    const { sessionId } = await machine.json<{ sessionId: string }>("chat", "-q", "Plan a trip to Rome");
    const handoff = await machine.json<{ state: string }>("handoff", "pager", "--session", sessionId);
    expect(handoff.state).toBe("completed");
    expect(pager.sent).toHaveLength(4);
    expect(pager.sent[1]).toContain("This session was in the terminal; it goes on here.");
    expect(pager.sent.slice(2).join("\n")).toContain("Plan a trip to Rome");

    pager.write("And for three days?");
    await machine.until(() => pager.sent.length === 5, "the next answer");
    const session = await machine.json<{ messages: { text: string }[] }>("sessions", "show", sessionId);
    expect(session.messages.map(({ text }) => text)).toContain("And for three days?");
  });

  it("the plugin of the guide says that the token is wrong and never shows it", async () => {
    await using pager = await startPager(TOKEN, "42");
    await using machine = machineWithPlugin({ url: pager.url, token: "another-token-2", homeChannel: "42" });
    const gateway = machine.start("gateway");
    await gateway.says(/pager does not accept the credentials/);
    const status = await machine.run("status");
    expect(status.stdout).toContain("pager: down, pager does not accept the credentials");
    expect(gateway.stdout + gateway.stderr + status.stdout).not.toContain("another-token-2");
  });

  it("the set-up of the guide names the bot, and finds a wrong token and home channel", async () => {
    await using pager = await startPager(TOKEN, "42");
    await using machine = machineWithPlugin({});
    const { setup } = await importFrom<{ setup: PluginSetup }>(machine, "setup.ts");
    const examine = (options: Record<string, unknown>) =>
      setup.examine({ url: pager.url, token: TOKEN, ...options }, setupContext());
    const right = await examine({ homeChannel: { chatId: "42" } });
    expect(right.account?.id).toBe("hermes");
    expect(right.findings.map(({ state }) => state)).toEqual(["ok", "ok"]);
    const [noHome] = (await examine({ homeChannel: { chatId: "43" } })).findings;
    expect(noHome).toMatchObject({ state: "problem", message: "The bot is not in the home channel." });
    const [wrong] = (await examine({ token: "another-token-2" })).findings;
    expect(wrong).toMatchObject({ state: "problem", message: "Pager does not accept the token." });
  });
});

function importFrom<T>(machine: HermesMachine, file: string): Promise<T> {
  return import(pathToFileURL(join(machine.folder, "hermes-plugin-pager/src", file)).href) as Promise<T>;
}

function machineWithPlugin(options: Record<string, unknown>): HermesMachine {
  const machine = new HermesMachine({ plugins: [["./hermes-plugin-pager/src/index.ts", options]] });
  const files = wholeFilesIn(guide).filter(({ name }) => name.startsWith("hermes-plugin-pager/"));
  for (const { name, code } of files) {
    mkdirSync(dirname(join(machine.folder, name)), { recursive: true });
    writeFileSync(join(machine.folder, name), code);
  }
  return machine;
}

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AcmeEmulator, CHATS, startEmulator } from "../packages/create-hermes-plugin/template/emulator/index.ts";
import { filesFor, GUIDE } from "./support/guide-program.ts";
import { HermesMachine } from "./support/hermes-process.ts";
import { tableRowsIn } from "./support/markdown-page.ts";

const guide = GUIDE;

interface Snippet {
  /** What stands above it: a file of the template, or what it is added to. */
  readonly above: string;
  readonly code: string;
}

/** The TypeScript of the guide, with the last mark or link to the template before each. */
function snippets(): Snippet[] {
  const found = guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm);
  return [...found].map(({ 1: code = "", index }) => {
    const marks = guide
      .slice(0, index)
      .matchAll(/create-hermes-plugin\/template\/([\w./-]+)\)|<!-- (adds [\w ./-]+) -->/g);
    const [, file, mark] = [...marks].at(-1) ?? [];
    return { above: file ?? mark ?? "", code };
  });
}

describe("the guide for authors of adapters", () => {
  it("each snippet stands in a file that the scaffold writes, or is added to one", () => {
    const fromTemplate = snippets().filter(({ above }) => above.includes("/") && !above.startsWith("adds"));
    expect(fromTemplate.length).toBeGreaterThan(12);
    for (const { above, code } of fromTemplate) {
      const [, way = "polling"] = /\.(polling|webhook|socket)\.ts$/.exec(above) ?? [];
      const file = filesFor(way as "polling").get(above.replace(`.${way}.`, "."));
      expect(file, `${above} has what the guide shows`).toContain(code.trimEnd());
    }
    const added = snippets().filter(({ above }) => above.startsWith("adds"));
    expect(snippets().length).toBe(fromTemplate.length + added.length);
  });

  it("its numbers are those of what the scaffold writes", () => {
    const measured = [...guide.matchAll(/^\| (commands|concepts|lines)[^|]*\| (\d+) \|$/gm)].map(([, , number]) =>
      Number(number),
    );
    const commands = /^```sh\n(npm create [\s\S]*?)^```$/m.exec(guide)?.[1]?.trim().split("\n") ?? [];
    const words = guide.split("### Words\n")[1]?.split("\n#")[0] ?? "";
    expect(measured).toEqual([
      commands.length,
      tableRowsIn(`## Words\n${words}`, "Words").length,
      linesIn("src"),
      linesIn("emulator"),
    ]);
    expect(commands.at(-1)).toBe("npm publish --dry-run");
  });

  it("the manifest is the one that the scaffold writes", () => {
    const [, shown = ""] = /^```json\n([\s\S]*?)^```$/m.exec(guide) ?? [];
    const { hermes } = JSON.parse(filesFor("polling").get("package.json") ?? "");
    expect(JSON.parse(`{${shown}}`)).toEqual({ hermes });
  });
});

describe("the plugin of the guide in a real gateway", () => {
  it("answers, takes a session that is handed off, and goes on in its thread", async () => {
    await using acme = await startEmulator();
    await using machine = machineWithPlugin({
      ...optionsOf(acme),
      homeChannel: { chatId: CHATS.team, shared: true },
      allowedUsers: ["*"],
    });
    await machine.startGateway();
    const said = (threadId?: string) =>
      acme
        .messages(CHATS.team, threadId)
        .filter(({ author }) => author === "bot")
        .map(({ text }) => text);
    await acme.receive({ chatId: CHATS.team, text: "Is anybody there?", mentions: true });
    await machine.until(() => said().length === 1, "an answer");
    expect(said()[0]).toContain("Is anybody there?");

    const { sessionId } = await machine.json<{ sessionId: string }>("chat", "-q", "Plan a trip to Rome");
    const handoff = await machine.json<{ state: string }>("handoff", "acme", "--session", sessionId, "--yes");
    expect(handoff.state).toBe("completed");
    const thread = threadOf(acme);
    expect(said(thread).join("\n")).toContain("Plan a trip to Rome");

    const before = said(thread).length;
    await acme.receive({ chatId: CHATS.team, threadId: thread, text: "And for three days?" });
    await machine.until(() => said(thread).length > before, "the next answer");
    const session = await machine.json<{ messages: { text: string }[] }>("sessions", "show", sessionId);
    expect(session.messages.map(({ text }) => text).join("\n")).toContain("And for three days?");
  });

  it("the plugin of the guide says that the token is wrong and never shows it", async () => {
    await using acme = await startEmulator();
    await using machine = machineWithPlugin({
      ...optionsOf(acme),
      token: "another-token-2",
      homeChannel: CHATS.private,
    });
    const gateway = machine.start("gateway");
    await gateway.says(/acme does not accept the credentials/);
    const status = await machine.run("status");
    expect(status.stdout).toContain("acme: down, acme does not accept the credentials");
    expect(gateway.stdout + gateway.stderr + status.stdout).not.toContain("another-token-2");
  });
});

/** The template as it lies has all parts, and so an option of the webhook, which a polling plugin does not know. */
function optionsOf({ options: { token, url } }: AcmeEmulator) {
  return { token, url };
}

function threadOf(acme: AcmeEmulator): string {
  const opened = acme.threads(CHATS.team).filter(({ id }) => id !== "t-plans");
  expect(opened).toHaveLength(1);
  return opened[0]?.id ?? "";
}

/** Lines of code of a folder, without comments and blank lines. */
function linesIn(folder: string): number {
  const texts = [...filesFor("polling")].flatMap(([name, text]) => (name.startsWith(`${folder}/`) ? text : []));
  return texts
    .join("\n")
    .split("\n")
    .filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length;
}

function machineWithPlugin(options: Record<string, unknown>): HermesMachine {
  const machine = new HermesMachine({ plugins: [["./hermes-plugin-acme/src/index.ts", options]] });
  for (const [name, text] of filesFor("polling")) {
    const path = join(machine.folder, "hermes-plugin-acme", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return machine;
}

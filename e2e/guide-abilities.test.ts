import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { AdapterReport } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changesIn, GUIDE, guideProgram } from "./support/guide-program.ts";
import { HERMES_BIN } from "./support/hermes-process.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

/** What the changes of the guide let the adapter claim. */
const PROOFS = [
  ...["claims/all", "claims/typing", "claims/findSent", "claims/deleteMessage", "sending/killed"],
  ...["sending/killed-while-growing", "references/replied", "references/stranger"],
  ...["setup/questions", "setup/right", "setup/wrong-credential", "setup/beside-gateway", "setup/deadline"],
];

/** The sections of a part of the guide, by their headings. */
function sectionsOf(part: string): ReadonlyMap<string, string> {
  const [text = ""] = GUIDE.split(`\n## ${part}\n`)[1]?.split(/\n## /) ?? [];
  return new Map(
    text
      .split("\n### ")
      .slice(1)
      .map((section) => [section.split("\n")[0] ?? "", section]),
  );
}

/** The names of the members of an interface. */
function membersOf(file: string, name: string): string[] {
  const [, body = ""] = new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(read(file)) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = ""]) => member);
}

describe("the program at the end of the guide", () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-guide-"));
  beforeAll(() => {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    for (const [name, text] of guideProgram()) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const node = (...args: string[]) =>
    run(process.execPath, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, HERMES_HOME: join(folder, "home"), NO_COLOR: "1" },
      maxBuffer: 2 ** 24,
    });

  it("the program compiles, with each change made in a file of the scaffold", async () => {
    expect(changesIn(GUIDE).length).toBeGreaterThan(15);
    expect(GUIDE.match(/^```diff$/gm)).toHaveLength(changesIn(GUIDE).length);
    await node(join(root, "node_modules/typescript/bin/tsc"), "-p", folder);
  });

  it("the program keeps what the guide's changes let it claim", async () => {
    const { stdout } = await node(HERMES_BIN, "prove", "--json", "--only", ...PROOFS);
    const { findings } = JSON.parse(stdout) as AdapterReport;
    expect(findings.filter(({ result }) => result !== "passed")).toEqual([]);
    expect(findings.map(({ id }) => id).sort()).toEqual([...PROOFS].sort());
  });
});

describe("the guide for authors of adapters", () => {
  it("each ability and each capability of the contract has a section", () => {
    const sections = [...sectionsOf("Each ability").values(), ...sectionsOf("The package, file by file").values()];
    const abilities = [
      ...membersOf("core/src/adapter/adapter.ts", "PlatformAdapter"),
      ...membersOf("core/src/adapter/capabilities.ts", "Capabilities"),
      ...["createHandoffThread", "peopleAt", "takesMessages", "prune", "typedCommand"],
    ].filter((name) => name !== "textLimit");
    expect(abilities.length).toBeGreaterThan(20);
    expect(abilities.filter((name) => !sections.some((text) => new RegExp(`\`${name}\\b`).test(text)))).toEqual([]);
  });

  it("each callback of the contract is told with when an adapter calls it", () => {
    const callbacks = membersOf("core/src/adapter/adapter.ts", "AdapterEvents");
    expect(callbacks).toContain("holdsAccount");
    const context = GUIDE.split("#### The context\n")[1]?.split("\n### ")[0] ?? "";
    expect(callbacks.filter((name) => !new RegExp(`^\\| \`${name}\\b`, "m").test(context))).toEqual([]);
  });

  it("explains each member of an emulator, its messages and its failures", () => {
    const [text = ""] = GUIDE.split("\n## The emulator\n")[1]?.split("\n## ") ?? [];
    const named = new Set([...text.matchAll(/`(\w[\w-]*)/g)].map(([, name]) => name));
    const facade = ["Emulator", "EmulatedChat", "EmulatedPerson", "EmulatedThread", "EmulatedMessage", "EmulatedFile"];
    const more = ["EmulatedInbound", "EmulatedRetraction", "EmulatedPress", "EmulatorFailure", "EmulatorLogEntry"];
    const source = "packages/emulator/src/emulator.ts";
    const members = [...facade, ...more].flatMap((name) => membersOf(source, name));
    const failures = [...read(source).matchAll(/readonly is: "([\w-]+)"/g)].map(([, name = ""]) => name);
    const operations = /`operation` is ([\s\S]*?)\. *\n?\*?\//.exec(read(source))?.[1] ?? "";
    const wanted = [...members, ...failures, ...[...operations.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)];
    expect(wanted.length).toBeGreaterThan(60);
    expect(wanted.filter((name) => !named.has(name) && name !== "kind")).toEqual([]);
  });

  it("tells the deadlines that core keeps", () => {
    const seconds = (file: string, name: string) =>
      Number(new RegExp(`${name} = ([\\d_]+)`).exec(read(`core/src/${file}`))?.[1]?.replaceAll("_", "")) / 1_000;
    const shown = (what: string) => Number(new RegExp(`^\\| ${what}.*?\\| (\\d+) s`, "m").exec(GUIDE)?.[1]);
    expect(shown("`connect`")).toBe(seconds("plugin/plugin-life.ts", "READY_WITHIN_MS"));
    expect(shown("`stop`")).toBe(seconds("plugin/plugin-life.ts", "STOPPED_WITHIN_MS"));
    expect(shown("one `send`")).toBe(seconds("gateway/outbound/send-row.ts", "SEND_DEADLINE_MS"));
    expect(shown("`createHandoffThread`")).toBe(seconds("handoff/open-thread.ts", "THREAD_DEADLINE_MS"));
    expect(shown("`findSent`")).toBe(seconds("gateway/outbound/find-draft.ts", "LOOK_UP_MS"));
    expect(shown("`chatName`")).toBe(seconds("handoff/carry-handoff.ts", "NAME_WITHIN_MS"));
    expect(shown("`deleteMessage`")).toBe(seconds("gateway/inbound/sent-codes.ts", "DELETE_MS"));
    expect(shown("a call by `HttpClient`")).toBe(seconds("adapter/http-client.ts", "PATIENCE_MS"));
  });
});

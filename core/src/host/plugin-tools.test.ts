import { statSync } from "node:fs";
import { createVirtualClock, notingLogger } from "@hermes/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { defineTool, defineTools, type PluginTool, type ToolsDeps } from "../plugin/tools-plugin.ts";
import { TestWorkspace } from "../tools/test-workspace.ts";
import { withPluginTools } from "./plugin-tools.ts";

const clock = createVirtualClock();

const tool = (name: string, more: Partial<PluginTool> = {}): PluginTool =>
  defineTool({
    ...{ name, description: "One.", input: z.object({}), effect: "reads", summary: () => name, run: async () => name },
    ...more,
  });

function configured(name: string, create: (deps: ToolsDeps) => Promise<readonly PluginTool[]>) {
  const descriptor = defineTools({ package: name, apiVersion: 2, schema: z.object({}), create })();
  return { descriptor, options: {}, key: "plugins[0]" };
}

/** The tools that plugins bring, and what the log says. */
async function made(home: string, ...plugins: ReturnType<typeof configured>[]) {
  const lines: string[] = [];
  const tools = await withPluginTools([], plugins, { home, clock, logger: notingLogger(lines) });
  return { tools, lines };
}

it("a call that hangs ends when its time is up, and its signal aborts", async () => {
  using space = new TestWorkspace();
  let aborted = false;
  const hangs = (limitMs?: number) =>
    tool("hangs", {
      ...(limitMs === undefined ? {} : { limitMs }),
      run: (_input, { signal }) => {
        signal.addEventListener("abort", () => {
          aborted = true;
        });
        return new Promise(() => {});
      },
    });
  for (const [limitMs, seconds] of [
    [5_000, 5],
    [undefined, 600],
  ] as const) {
    const { tools } = await made(
      space.home,
      configured("a", async () => [hangs(limitMs)]),
    );
    const ended = expect(tools[0]?.run({}, space.where())).rejects.toThrow(`hangs was not done after ${seconds} s`);
    await clock.advance(seconds * 1000 - 1);
    expect(aborted).toBe(false);
    await clock.advance(1);
    await ended;
    expect(aborted).toBe(true);
    aborted = false;
  }
});

it("a plugin whose tools never come is left out, and those of the others are there", async () => {
  using space = new TestWorkspace();
  const making = made(
    space.home,
    configured("hangs", () => new Promise(() => {})),
    configured("comes", async () => [tool("dice")]),
  );
  await clock.advance(15_000);
  const { tools, lines } = await making;
  expect(tools.map(({ name }) => name)).toEqual(["dice"]);
  expect(lines.join()).toContain("the tools of a plugin cannot be used");
});

it("each plugin of tools has a folder of its own, which is closed to others", async () => {
  using space = new TestWorkspace();
  const folders: string[] = [];
  const keeping = (name: string) =>
    configured(name, async ({ folder }) => {
      folders.push(folder);
      return [];
    });
  await made(space.home, keeping("hermes-plugin-dice"), keeping("@acme/hermes-plugin-dice"));
  expect(folders).toEqual([
    `${space.home}/plugins/tools@hermes-plugin-dice`,
    `${space.home}/plugins/tools@%40acme%2Fhermes-plugin-dice`,
  ]);
  for (const folder of folders) expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it("a plugin whose tools have not the form of one brings none, and the log says why", async () => {
  using space = new TestWorkspace();
  const odd = (name: string, more: object) => configured(name, async () => [tool("odd", more)]);
  const { tools, lines } = await made(
    space.home,
    odd("a", { input: { type: "object" } }),
    odd("b", { input: z.string() }),
    odd("c", { effect: "explodes" }),
    odd("d", { description: "" }),
    odd("e", { run: undefined }),
    configured("f", async () => [null as never]),
    configured("g", async () => "tools" as never),
    configured("h", async () => [tool("even")]),
  );
  expect(tools.map(({ name }) => name)).toEqual(["even"]);
  for (const [at, reason] of [
    "the input of its tool odd has no JSON schema",
    "the input of its tool odd is no object",
    "its tool odd has no effect: reads, network, writes, runs",
    "its tool odd has no description",
    "its tool odd has no summary and run",
    "undefined cannot be the name of a tool",
    "its `create` returns no list of tools",
  ].entries())
    expect(lines[at]).toContain(reason);
});

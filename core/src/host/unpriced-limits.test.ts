import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { expect, it } from "vitest";
import { runCli } from "../cli/program.ts";
import { createTestBench } from "../cli/test-bench.ts";
import { createTestTerminal } from "../cli/test-terminal.ts";
import { CONFIG, type LimitsConfig } from "../config/config.ts";
import { defaultConfig } from "../config/load-config.ts";

async function statusWith(model: string, limits: LimitsConfig, ...flags: readonly string[]): Promise<string> {
  const clock = createVirtualClock();
  await using bench = await createTestBench({ clock, model: scriptedModel([], { clock }) });
  const terminal = createTestTerminal({ home: bench.home, workingDirectory: bench.folder });
  terminal.end();
  await runCli(["status", ...flags], {
    io: terminal.io,
    override(container) {
      bench.override(container);
      container.registerInstance(CONFIG, defaultConfig(bench.folder, { model, limits }));
    },
  });
  return terminal.stdout();
}

const WARNING = "in the config counts 100,000 tokens of mine/new as a dollar, because its price is not known.";

it.each([
  ["dollars alone, at an unknown price", "mine/new", { day: { dollars: 5 } }, `\`limits.day\` ${WARNING}`],
  [
    "two of them",
    "mine/new",
    { day: { dollars: 5 }, session: { dollars: 1 } },
    `\`limits.day\` and \`limits.session\` ${WARNING}`,
  ],
  ["dollars and tokens", "mine/new", { day: { dollars: 5, tokens: 9 } }, null],
  ["dollars at a known price", "anthropic/claude-sonnet-4-5", { day: { dollars: 5 } }, null],
])("hermes status says which limits count tokens instead of dollars: %s", async (_, model, limits, warning) => {
  const said = await statusWith(model, limits);
  if (warning === null) expect(said).not.toContain("as a dollar");
  else expect(said).toContain(warning);
});

it("hermes status --json has the warning, and an empty list without one", async () => {
  const limits = { day: { dollars: 5 } };
  expect(JSON.parse(await statusWith("mine/new", limits, "--json")).warnings).toMatchObject([
    { code: "CONFIG_LIMIT_UNPRICED", message: `\`limits.day\` ${WARNING}`, hint: expect.stringContaining("tokens") },
  ]);
  expect(JSON.parse(await statusWith("anthropic/claude-sonnet-4-5", limits, "--json")).warnings).toEqual([]);
});

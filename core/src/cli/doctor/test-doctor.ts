import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import { CLOCK } from "../../base/tokens.ts";
import { CONFIG, type LoadedConfig } from "../../config/config.ts";
import type { ConfiguredPlugin } from "../../plugin/configured-plugin.ts";
import { definePlugin } from "../../plugin/descriptor.ts";
import { platformOptions } from "../../plugin/platform-options.ts";
import { runCli } from "../program.ts";
import { layPager } from "../test-plugin.ts";
import { createTestTerminal } from "../test-terminal.ts";
import type { ShownFinding } from "./print-findings.ts";

/** A home and a project in a folder of their own, and the doctor who examines them. */
export interface DoctorBench extends Disposable {
  readonly folder: string;
  readonly home: string;
  /** Added to the environment of the command. */
  readonly environment: Record<string, string>;
  /** Takes the place of the config that would be found. */
  config: LoadedConfig | null;
  /** Takes the place of the machine's clock. */
  clock: Clock | null;
  start(...args: readonly string[]): ReturnType<typeof createTestTerminal> & { readonly ended: Promise<number> };
  run(...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** What `--json` says of one check. */
  findings(check: string, ...args: readonly string[]): Promise<readonly Omit<ShownFinding, "isFixable">[]>;
  write(name: string, content: string): string;
}

export function createDoctorBench(): DoctorBench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hermes-doctor-")));
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  const bench: DoctorBench = {
    ...{ folder, home, environment: {}, config: null, clock: null },
    start(...args) {
      const terminal = createTestTerminal({ home, workingDirectory: folder });
      const io = { ...terminal.io, environment: { ...terminal.io.environment, ...bench.environment } };
      const { config, clock } = bench;
      const ended = runCli(["doctor", ...args], {
        io,
        override(container) {
          if (config) container.registerInstance(CONFIG, config);
          if (clock) container.registerInstance(CLOCK, clock);
        },
      });
      return { ...terminal, ended };
    },
    async run(...args) {
      const run = bench.start(...args);
      const code = await run.ended;
      return { code, stdout: run.stdout(), stderr: run.stderr() };
    },
    async findings(check, ...args) {
      const { stdout } = await bench.run("--json", ...args);
      const document: { readonly findings: ShownFinding[] } = JSON.parse(stdout);
      return document.findings.filter((finding) => finding.check === check);
    },
    write(name, content) {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
  return bench;
}

/** A plugin that is installed in a project, with the module of its set-up; null for one without. */
export function installPager(
  folder: string,
  setup: string | null,
  options: Readonly<Record<string, unknown>> = {},
): ConfiguredPlugin {
  const schema = z.looseObject(platformOptions);
  layPager(folder, "export {};", setup);
  const create = () => Promise.reject(new Error("no test starts it"));
  const pager = definePlugin({ package: "hermes-plugin-pager", platform: "pager", apiVersion: 2, schema, create });
  return { descriptor: pager(), options: schema.parse(options) };
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import type { DependencyContainer } from "tsyringe";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CONFIG } from "../config/config.ts";
import { defaultConfig } from "../config/load-config.ts";
import { STORE } from "../store/store.ts";
import { LIMITS } from "../turn/turn-limits.ts";
import { runCli } from "./program.ts";
import { createTestBench } from "./test-bench.ts";
import { createTestTerminal } from "./test-terminal.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

describe("exit codes and errors", () => {
  test("help is printed with examples and ends well", async () => {
    const { code, stdout, stderr } = await bench.hermes("--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Examples:");
    expect(stdout).toContain("hermes resume plan");
  });

  test("an option that does not exist is wrong use", async () => {
    const { code, stdout, stderr } = await bench.hermes("sessions", "list", "--wrong");
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("--wrong");
    expect(stderr).toContain("`hermes sessions list --help` shows how.");
  });

  test("a word that is no command is wrong use, and what was probably meant is named", async () => {
    const { code, stderr } = await bench.hermes("sesions");
    expect(code).toBe(2);
    expect(stderr).toContain("did you mean sessions?");
  });

  test.each([
    [["sessions", "shwo", "plan"], "There is no command sessions shwo; did you mean show?\n`hermes sessions --help`"],
    [["gateway", "nonsense"], "There is no command gateway nonsense.\n`hermes gateway --help`"],
    [["help", "nonsense"], "There is no command nonsense.\n`hermes --help`"],
    [["help", "sessions", "bogus"], "There is no command sessions bogus.\n`hermes sessions --help`"],
  ])("%j is reported as a command that does not exist", async (argv, said) => {
    const { code, stdout, stderr } = await bench.hermes(...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(`${said} shows how.\n`);
  });

  test.each([
    [["chat", "-q"], "--query needs <message>."],
    [["chat", "--mode", "wild"], "--mode cannot be wild: it has to be one of default, edits, plan."],
    [["chat", "--yolo"], "There is no option --yolo."],
    [["sessions", "list", "--limt", "3"], "There is no option --limt; did you mean --limit?"],
    [["lanes", "-n", "x"], "--limit cannot be x: it has to be a whole number from 1 to 999999999."],
    [["sessions", "show"], "<session> is missing."],
    [["sessions", "search"], "<words> is missing."],
    [["completion", "tcsh"], "<shell> cannot be tcsh: it has to be one of bash, zsh, fish."],
    [["status", "now"], "Too many arguments: it takes none."],
    [["resume", "a", "b"], "Too many arguments: it takes 1 at most."],
  ])("%j is refused in one sentence, with the help to look at", async (argv, sentence) => {
    const { code, stderr } = await bench.hermes(...argv);
    expect(code).toBe(2);
    expect(stderr.split("\n")).toEqual([sentence, expect.stringMatching(/^`hermes .+ --help` shows how\.$/), ""]);
  });

  test("the error for a number that is too large names the maximum", async () => {
    const { code, stderr } = await bench.hermes("sessions", "list", "--limit", "99999999999");
    expect(code).toBe(2);
    expect(stderr).toContain("from 1 to 999999999");
  });

  test("an error is a sentence and a next step, without a stack", async () => {
    const { code, stdout, stderr } = await bench.hermes("sessions", "show", "nothing");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe("There is no session nothing.\n`hermes sessions` lists them.\n");
  });

  test.each([
    [["sessions", "show", "nothing", "--json"], "SESSION_UNKNOWN", 1],
    [["sessions", "list", "--wrong", "--json"], "USAGE", 2],
    [["--json", "sesions"], "USAGE", 2],
    [["handoffs", "show", "nothing", "--json"], "HANDOFF_UNKNOWN", 1],
    [["handoff", "pager", "--json"], "USAGE", 2],
    [["sessions", "list", "--limit", "none", "--json"], "USAGE", 2],
    [["resume", "--json"], "USAGE", 2],
  ])("%j prints its error as the one JSON document", async (argv, wanted, exit) => {
    const { code, json, stderr } = await bench.hermes(...argv);
    expect({ code, stderr }).toEqual({ code: exit, stderr: "" });
    expect(json().error).toEqual({ code: wanted, message: expect.any(String), hint: expect.any(String) });
  });

  test.each([
    [
      "a command runs",
      (container: DependencyContainer, error: Error) => {
        container.registerInstance(STORE, { sessions: { list: () => Promise.reject(error) } } as never);
      },
    ],
    [
      "its host is made",
      (container: DependencyContainer, error: Error) => {
        container.register(LIMITS, {
          useFactory: () => {
            throw error;
          },
        });
      },
    ],
  ])("an error while %s is told and logged without the config's secrets", async (_, fail) => {
    const terminal = createTestTerminal({ home: bench.home, workingDirectory: bench.folder });
    const config = defaultConfig(bench.folder, {
      providers: { local: { baseUrl: "http://127.0.0.1:9", apiKey: "my-provider-key-1" } },
      variables: { PAGER_TOKEN: "my-option-key-2" },
    });
    const broken = (container: DependencyContainer) => {
      container.registerInstance(CONFIG, config);
      fail(container, new TypeError("no my-provider-key-1, my-option-key-2"));
    };
    expect(await runCli(["sessions"], { io: terminal.io, override: broken })).toBe(1);
    expect(terminal.stderr()).toContain("Something went wrong inside Hermes: no [redacted], [redacted].");
    const logged = readFileSync(join(bench.home, "logs", "hermes.log"), "utf8");
    expect(logged).toContain("no [redacted], [redacted]");
    expect(logged + terminal.stderr()).not.toMatch(/my-(?:provider|option)-key/);
  });

  test("an unforeseen error names the log, where its stack is", async () => {
    const terminal = createTestTerminal({ home: bench.home, workingDirectory: bench.folder });
    const broken = (container: DependencyContainer) => {
      const sessions = { list: () => Promise.reject(new TypeError("x is not a function")) };
      container.registerInstance(STORE, { sessions } as never);
    };
    expect(await runCli(["sessions"], { io: terminal.io, override: broken })).toBe(1);
    const log = join(bench.home, "logs", "hermes.log");
    expect(terminal.stderr()).toContain("Something went wrong inside Hermes: x is not a function.");
    expect(terminal.stderr()).toContain(log);
    expect(terminal.stderr()).not.toContain(" at ");
    expect(readFileSync(log, "utf8")).toContain("TypeError");
  });
});

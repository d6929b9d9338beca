import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Output } from "../../terminal/output.ts";
import { createContext } from "../context.ts";
import { createTestTerminal } from "../test-terminal.ts";
import { withEnvIgnored, withVariablesSet } from "./env-lines.ts";
import { readFlags } from "./flags.ts";
import { isWord, newWord } from "./one-time-word.ts";
import { canOpenPage } from "./open-page.ts";
import { findTarget } from "./target.ts";

describe("the lines of a .env", () => {
  it("sets a variable where it stands, adds the others, and keeps every other byte", () => {
    const before = "# mine\r\nA=1\r\nexport B='x y'\nC=3";
    const after = withVariablesSet(before, new Map(Object.entries({ A: "new", D: "d" })));
    expect(after).toBe("# mine\r\nA=new\r\nexport B='x y'\nC=3\nD=d\n");
  });

  it.each(["plain-1:x", "with space", "with 'quotes'", `with "double" # and a hash`, "a=b$c"])(
    "writes %s so that it is read as it is",
    (value) => {
      expect(parseEnv(withVariablesSet("", new Map([["X", value]])))).toEqual({ X: value });
    },
  );

  it("leaves the .env out of a repository once", () => {
    expect(withEnvIgnored("dist")).toBe("dist\n.env\n");
    expect(withEnvIgnored("dist\n.env*\n")).toBeNull();
  });
});

describe("the one-time word", () => {
  it("the one-time word has no letters or digits that look alike", () => {
    const words = Array.from({ length: 300 }, newWord);
    expect(new Set(words).size).toBeGreaterThan(290);
    expect(words.filter((word) => !/^[a-z]{6}\d\d$/.test(word) || /[l018]/.test(word))).toEqual([]);
  });

  it("the word is recognised by itself alone, in capitals too", () => {
    expect(isWord(" KADUMI47\n", "kadumi47")).toBe(true);
    expect(isWord("the word is kadumi47", "kadumi47")).toBe(false);
  });
});

describe("the flags", () => {
  const given = { gateway: true };

  it("flags are read by platform", () => {
    const flags = readFlags({
      ...given,
      platform: ["pager:bot"],
      set: ["pager.url=http://a=b"],
      allow: ["pager=1", "2"],
    });
    expect(flags.platforms).toEqual([{ platform: "pager", way: "bot" }]);
    expect(flags.options.get("pager")).toEqual({ url: "http://a=b" });
    expect([...flags.allowed]).toEqual([
      ["pager", ["1"]],
      ["", ["2"]],
    ]);
  });

  it("flags set up each platform that they name, where nobody is asked", () => {
    expect(readFlags({ ...given, yes: true, home: ["pager=1"] }).platforms).toEqual([{ platform: "pager", way: null }]);
    expect(readFlags({ ...given, home: ["pager=1"] }).platforms).toEqual([]);
  });

  it.each([{ set: ["pager"] }, { home: ["1"] }, { format: "toml" }])(
    "flags that say nothing are refused: %j",
    (wrong) => {
      expect(() => readFlags({ ...given, ...wrong })).toThrow(expect.objectContaining({ code: "USAGE" }));
    },
  );
});

describe("the place of a config", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hermes-target-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const find = (workingDirectory: string, wanted: string | null = null) => {
    const home = join(folder, "home");
    const { io } = createTestTerminal({ home, workingDirectory });
    const environment = { ...io.environment, HOME: folder };
    const output = new Output({ ...io, environment }, { json: false });
    return findTarget(createContext(output, { configPath: undefined }), home, wanted);
  };

  it("the config's folder is the working directory, or a new one", () => {
    const project = join(folder, "bot");
    mkdirSync(project);
    expect(find(project)).toEqual({ folder: project, file: null, isHome: false });
    expect(find(project, "sub/folder").folder).toBe(join(project, "sub/folder"));
  });

  it("in a person's own folder, the config goes into Hermes' home", () => {
    expect(find(folder)).toEqual({ folder: join(folder, "home"), file: null, isHome: true });
  });

  it("folders that others write to, the root and one's own are refused", () => {
    const open = join(folder, "open");
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(() => find(open)).toThrow("everybody may write to it");
    expect(() => find(folder, "/")).toThrow("everything on this machine lies in it");
    expect(() => find(open, folder)).toThrow("it is your own folder");
  });
});

it("a page is offered to be opened only where a browser can be seen", () => {
  const { io } = createTestTerminal({ home: "/x", workingDirectory: "/x", interactive: true });
  const at = (environment: NodeJS.ProcessEnv, system: NodeJS.Platform) => canOpenPage({ ...io, environment }, system);
  expect(at({ DISPLAY: ":0" }, "linux")).toBe(true);
  expect(at({}, "linux")).toBe(false);
  expect(at({}, "darwin")).toBe(true);
  expect(at({ DISPLAY: ":0", SSH_CONNECTION: "1" }, "linux")).toBe(false);
  expect(at({ SSH_CONNECTION: "1" }, "darwin")).toBe(false);
});

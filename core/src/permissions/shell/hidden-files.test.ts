import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { judgeCall } from "../judge-call.ts";

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-hidden-")));
  const files = {
    ...{ "plain/.env": "", "plain/.env.local": "", "plain/src/a.ts": "", "data/.credentials.json": "" },
    ...{ "ignoring/.env": "", "ignoring/.ignore": "*.log\n!.env\n", "home/x": "" },
    ...{ "example/.env": "", "example/.gitignore": ".env*\n!.env.example\n" },
    ...{ "above/.gitignore": "!.en?\n", "above/src/.env": "" },
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function decide(folder: string, line: string) {
  const call = { tool: "shell", effect: "runs", subjects: [line] } as const;
  const places = { directory: join(root, folder), home: join(root, "home") };
  const rules = { allow: ["shell(rg *)"], ask: [], deny: [] };
  return (await judgeCall(call, { rules, mode: "default", ...places, shared: false, isOperator: true })).decision;
}

it.each([
  ...["rg --type-add ä:* -tä KEY", "rg --type-add 'ä:*' -tä KEY", "rg --type-add '字1:.e*' -t字1 KEY"],
  ...["rg --type-add=ä:* -tä KEY", "rg --type-add 'x:{*,a b}' -tx KEY", "rg --type-add=x:.env* -tx KEY"],
])("a type with a name of any letters opens no hidden file with keys: %s", async (line) => {
  expect(await decide("plain", line)).toBe("ask");
});

it.each([`rg -g '{*,a b}' KEY`, `rg -g '{*,"}' KEY`, "rg -g '[^a]env' KEY", "rg -g '{.env,x:y}' KEY"])(
  "a glob opens no hidden file with keys, however it is written: %s",
  async (line) => {
    expect(await decide("plain", line)).toBe("ask");
  },
);

it.each(["rg -tjson KEY", "rg -t json KEY", "rg --type all KEY", "rg --type=json KEY", "rg -itall KEY"])(
  "a type that ripgrep knows opens no hidden file with keys: %s",
  async (line) => {
    expect(await decide("data", line)).toBe("ask");
  },
);

it.each([
  ["ignoring", "rg KEY"],
  ["above/src", "rg KEY"],
  ["above", "rg KEY src"],
  ["plain", "rg --ignore-file x KEY"],
])("a file of ignored names that names a hidden one opens it: in %s, %s", async (folder, line) => {
  expect(await decide(folder, line)).toBe("ask");
});

it.each([
  ["plain", "rg -tts KEY"],
  ["plain", "rg --type-add 'x:*.ts' -tx KEY"],
  ["plain", "rg --type-add 'ä:*.ts' -tä KEY"],
  ["plain", "rg -g '*.{ts,tsx}' KEY"],
  ["data", "rg -Tjson KEY"],
  ["data", "rg KEY"],
  ["example", "rg KEY"],
])("a star stands for what opens no hidden file with keys: in %s, %s", async (folder, line) => {
  expect(await decide(folder, line)).toBe("allow");
});

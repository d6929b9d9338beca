import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { changesIn, isTrustedFolder, trustFolder } from "./trusted-folders.ts";
import { writeConfig } from "./write-config.ts";

let root: string;
let home: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hermes-write-"));
  home = join(root, "home");
  folder = join(root, "project");
  mkdirSync(home);
  mkdirSync(folder, { mode: 0o755 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, before: string | null, text: string): void {
  writeConfig({ file, before, text, trustedFolder: folder, home });
}

it.each(["hermes.config.json", "package.json"])(
  "a trusted folder stays trusted with the %s that Hermes wrote",
  (name) => {
    const file = join(folder, name);
    writeFileSync(file, '{"hermes":{}}');
    chmodSync(file, 0o640);
    trustFolder(home, folder);
    write(file, '{"hermes":{}}', '{"hermes":{"model":"a/b"}}');
    expect(changesIn(home, folder)).toBeNull();
    expect(statSync(file).mode & 0o777).toBe(0o640);
  },
);

it("nothing else gets trusted by what Hermes wrote", () => {
  const file = join(folder, "hermes.config.json");
  writeFileSync(file, "{}");
  trustFolder(home, folder);
  writeFileSync(join(folder, "hermes.config.ts"), "export default {};");
  write(file, "{}", '{"model":"a/b"}');
  expect(changesIn(home, folder)?.files).toMatchObject([{ place: join(folder, "hermes.config.ts"), kind: "new" }]);
});

it("a folder that is not trusted does not become so", () => {
  write(join(folder, "hermes.config.json"), null, "{}");
  expect(isTrustedFolder(home, folder)).toBe(false);
});

it("Hermes overwrites nothing that somebody else wrote to the config meanwhile", () => {
  const file = join(folder, "hermes.config.json");
  writeFileSync(file, '{"model":"theirs"}');
  expect(() => write(file, "{}", '{"model":"ours"}')).toThrow("somebody else wrote it at the same time");
  expect(readFileSync(file, "utf8")).toBe('{"model":"theirs"}');
});

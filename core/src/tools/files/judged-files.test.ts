import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { FileStore } from "../../files/file-store.ts";
import { TestWorkspace } from "../test-workspace.ts";

function workspace(): TestWorkspace {
  const files = {
    keep: (...call: Parameters<FileStore["keep"]>) => new FileStore(space.home, systemClock).keep(...call),
  };
  const space: TestWorkspace = new TestWorkspace(
    { "notes.txt": "fine", ".env": "KEY=1", "keys/a.txt": "KEY=2" },
    { files },
  );
  mkdirSync(join(space.directory, "docs"));
  return space;
}

/** Runs a call that was judged before `swap`. */
async function judgedThenSwapped(name: string, path: string, swap: (at: string, space: TestWorkspace) => void) {
  using space = workspace();
  const tool = space.tool(name);
  const input = space.parsed(name, { path, pattern: "KEY", content: "mine", old: "KEY", new: "mine" });
  await tool.subjects?.(input, space.where());
  swap(join(space.directory, path), space);
  const said = await Promise.resolve(tool.run(input, space.where())).then(
    ({ text }) => text,
    (error: Error) => `Error: ${error.message}`,
  );
  return { said, secret: readFileSync(join(space.directory, ".env"), "utf8") };
}

const REFUSED = (path: string) => `Error: ${path} leads to another file since it was allowed. It was not opened.`;

describe("a path that leads elsewhere when its call was judged", () => {
  test.each(["read", "send_file"])("opens no file that came to its place: %s", async (name) => {
    const swaps: ((at: string, space: TestWorkspace) => void)[] = [
      (at) => symlinkSync(".env", at),
      (at, { directory }) => linkSync(join(directory, ".env"), at),
      (at, { directory }) => renameSync(join(directory, ".env.other"), at),
    ];
    for (const swap of swaps) {
      const { said } = await judgedThenSwapped(name, "notes.txt", (at, space) => {
        space.put(".env.other", "KEY=3");
        rmSync(at);
        swap(at, space);
      });
      expect(said).toBe(REFUSED("notes.txt"));
    }
  });

  test.each(["list", "search"])("enters no folder that came to its place: %s", async (name) => {
    const { said } = await judgedThenSwapped(name, "docs", (at) => {
      rmSync(at, { recursive: true });
      symlinkSync("keys", at);
    });
    expect(said).toBe(REFUSED("docs"));
  });

  test.each(["write", "edit"])("changes no file that came to its place: %s", async (name) => {
    const { said, secret } = await judgedThenSwapped(name, name === "write" ? "new.txt" : "notes.txt", (at) => {
      rmSync(at, { force: true });
      symlinkSync(".env", at);
    });
    expect(said).toMatch(/^Error: /);
    expect(secret).toBe("KEY=1");
  });
});

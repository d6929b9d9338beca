import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PDF_FILE } from "@hermes/testing";
import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { FileStore } from "../files/file-store.ts";
import { TestWorkspace } from "./test-workspace.ts";

const SECRET = "s3cret-word-of-the-config";

function spaceWith(files: Readonly<Record<string, string>> = {}) {
  const space: TestWorkspace = new TestWorkspace(files, {
    files: { keep: (content, called) => new FileStore(space.home, systemClock).keep(content, called) },
    holdsSecret: (text) => text.includes(SECRET),
  });
  return space;
}

const call = async (space: TestWorkspace, input: object) => {
  const tool = space.tool("send_file");
  return tool.run(space.parsed("send_file", input), space.where());
};

test("keeps a file by its content, and names it with what the agent says next", async () => {
  using space = spaceWith();
  space.put("out/Übersicht 1.bin", PDF_FILE);
  const { text, files = [] } = await call(space, { path: "out/Übersicht 1.bin", caption: "Two\nlines" });
  expect(text).toBe(`out/Übersicht 1.bin (${PDF_FILE.length} bytes) goes out with what you say next.`);
  expect(files).toMatchObject([
    {
      ...{ name: "Übersicht 1.bin", mediaType: "application/pdf", size: PDF_FILE.length, caption: "Two lines" },
      sentFrom: join(space.directory, "out/Übersicht 1.bin"),
    },
  ]);
  const [file] = files;
  expect(file && (await new FileStore(space.home, systemClock).read(file))).toEqual(PDF_FILE);
});

test("tells the type of a file by its name where its content does not", async () => {
  using space = spaceWith({ "a.csv": "1,2", "b.unknown": "x" });
  expect((await call(space, { path: "a.csv" })).files).toMatchObject([{ mediaType: "text/csv" }]);
  expect((await call(space, { path: "b.unknown" })).files).toMatchObject([{ mediaType: "application/octet-stream" }]);
});

test.each([
  ["empty.txt", "empty.txt is empty. It was not sent."],
  ["folder", "folder is a folder: send an archive of it."],
  ["pipe", "pipe is no ordinary file."],
  ["gone.txt", "gone.txt is not there."],
  ["huge.bin", "huge.bin has 25.0 MB; the most is 25.0 MB. It was not sent."],
])("sends nothing of %s, and says why", async (path, why) => {
  using space = spaceWith({ "empty.txt": "" });
  mkdirSync(join(space.directory, "folder"));
  execFileSync("mkfifo", [join(space.directory, "pipe")]);
  writeFileSync(join(space.directory, "huge.bin"), "x");
  truncateSync(join(space.directory, "huge.bin"), 25 * 1024 ** 2 + 1);
  const before = readdirSync("/proc/self/fd").length;
  expect(await space.run("send_file", { path })).toBe(`Error: ${why}`);
  expect(readdirSync("/proc/self/fd").length).toBe(before);
});

test.each(["../secret.pdf", "link.pdf"])("sends nothing from outside of the directory: %s", async (path) => {
  using space = spaceWith();
  writeFileSync(join(space.folder, "secret.pdf"), PDF_FILE);
  symlinkSync(join(space.folder, "secret.pdf"), join(space.directory, "link.pdf"));
  expect(await space.run("send_file", { path })).toContain("is outside of the session's directory");
});

test.each([
  ["a text", Buffer.from(`token: ${SECRET}`)],
  ["a text of two bytes a character", Buffer.from(`token: ${SECRET}`, "utf16le")],
  ["a file with other bytes", Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(SECRET), Buffer.from([128])])],
  // It begins in one part that is read, and ends in the next.
  ["a long file", Buffer.concat([Buffer.alloc(1024 ** 2 - 9, "x"), Buffer.from(SECRET), Buffer.alloc(99, "y")])],
])("sends nothing that holds a secret of Hermes: %s", async (_, content) => {
  using space = spaceWith();
  space.put("a.bin", content);
  expect(await space.run("send_file", { path: "a.bin" })).toBe(
    "Error: a.bin holds a secret of this Hermes, such as a token of its config. It was not sent.",
  );
});

test("sends no other file than the one that was judged", async () => {
  using space = spaceWith({ "notes.txt": "fine", ".env": "KEY=1" });
  const tool = space.tool("send_file");
  const input = space.parsed("send_file", { path: "notes.txt" });
  expect(await tool.subjects(input, space.where())).toEqual([join(space.directory, "notes.txt")]);
  rmSync(join(space.directory, "notes.txt"));
  symlinkSync(".env", join(space.directory, "notes.txt"));
  await expect(tool.run(input, space.where())).rejects.toThrow(
    "notes.txt leads to another file since it was allowed. It was not opened.",
  );
});

import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findConformance } from "./find-conformance.ts";
import { importTestingPackage } from "./testing-package.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-prove-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes a package that names its subject. Returns the subject's path. */
function writePackage(folder = "."): string {
  const subject = join(root, folder, "subject.js");
  mkdirSync(dirname(subject), { recursive: true });
  writeFileSync(join(root, folder, "package.json"), JSON.stringify({ hermes: { conformance: "./subject.js" } }));
  writeFileSync(subject, "export const subject = {};");
  return subject;
}

const unfit = (reason: string) =>
  expect.objectContaining({ code: "FOLDER_UNFIT_FOR_TRUST", message: expect.stringContaining(reason) });
const found = (path: string) => {
  try {
    return findConformance(path, root).file;
  } catch (error) {
    return error;
  }
};

it("the package above a folder is proved, where nobody else could have put it", () => {
  const subject = writePackage();
  mkdirSync(join(root, "src"));
  expect(found("src")).toBe(subject);
});

it.each([
  ["", 0o777],
  [", such as /tmp", 0o1777],
])("a package in a folder that everybody may write to is not run%s", (_, mode) => {
  const subject = writePackage();
  mkdirSync(join(root, "mine"));
  chmodSync(root, mode);
  expect([".", "mine", "subject.js"].map(found)).toEqual(Array(3).fill(unfit("everybody may write to it")));
  expect(subject).toContain(root);
});

it("a subject that a link leads to is not run from where everybody may write", () => {
  const subject = writePackage("shared");
  chmodSync(join(root, "shared"), 0o777);
  mkdirSync(join(root, "own"));
  writeFileSync(join(root, "own/package.json"), JSON.stringify({ hermes: { conformance: "./test/subject.js" } }));
  symlinkSync(dirname(subject), join(root, "own/test"));
  expect(found("own")).toEqual(unfit("everybody may write to it"));
});

it.runIf(process.geteuid?.() === 0)("a package that somebody else owns is not run", () => {
  const subject = writePackage();
  for (const theirs of [root, join(root, "package.json"), subject]) {
    chownSync(theirs, 4_321, 4_321);
    expect(found(".")).toEqual(unfit("it belongs to somebody else"));
    chownSync(theirs, 0, 0);
  }
  expect(found(".")).toBe(subject);
});

it("a kit that everybody could have put above the package is not run", async () => {
  const subject = writePackage("own");
  const kit = join(root, "node_modules/@hermes/testing");
  mkdirSync(kit, { recursive: true });
  writeFileSync(join(kit, "package.json"), JSON.stringify({ main: "index.js" }));
  writeFileSync(join(kit, "index.js"), "");
  chmodSync(kit, 0o777);
  const importing = importTestingPackage(
    { file: subject, package: { name: "own", version: null } },
    root,
    async () => ({}),
  );
  await expect(importing).rejects.toEqual(unfit("everybody may write to it"));
});

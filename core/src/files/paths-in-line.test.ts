import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pathsInLine } from "./paths-in-line.ts";

const found = (line: string, directory: string | null = "/work") =>
  pathsInLine(line, directory).map(({ path }) => path);

describe("the pictures and PDFs that a line names", () => {
  it.each([
    ["look at @shot.png, please", ["/work/shot.png"]],
    ['@"my shot.PNG"?', ["/work/my shot.PNG"]],
    ["(see @docs/plan.pdf)", ["/work/docs/plan.pdf"]],
    ["see @docs/plan.pdf) and @../up.jpeg", ["/work/docs/plan.pdf", "/up.jpeg"]],
    ["@/tmp/a.gif @~/b.webp", ["/tmp/a.gif", join(homedir(), "b.webp")]],
    ["@shot.png @shot.png", ["/work/shot.png"]],
    ["see @shot.bin, please", ["/work/shot.bin,", "/work/shot.bin"]],
    // As terminals write a file that is dropped.
    ["'/tmp/my shot.png' what is it?", ["/tmp/my shot.png"]],
    ["what is /tmp/my\\ shot\\(1\\).png", ["/tmp/my shot(1).png"]],
    ["file:///tmp/my%20shot.png", ["/tmp/my shot.png"]],
    ["~/shot.png", [join(homedir(), "shot.png")]],
    // Those are words.
    ["write shot.png", []],
    ["ada@example.org/shot.png", []],
    ["https://example.org/shot.png", []],
    ["/tmp/notes.txt", []],
    ["file://%zz/shot.png", []],
  ])("a line names its pictures and PDFs: %s", (line, paths) => {
    expect(found(line)).toEqual(paths);
  });

  it("a pasted text brings no picture along but behind an @", () => {
    expect(found("An error:\n  at /tmp/shot.png\n")).toEqual([]);
    expect(found("An error:\n  at @/tmp/shot.png\n")).toEqual(["/tmp/shot.png"]);
  });

  it("a session without a directory has only absolute paths", () => {
    expect(found("@shot.png @/tmp/shot.png", null)).toEqual(["/tmp/shot.png"]);
  });

  it("a line of a million characters is read in one go", () => {
    // With work that grows by the square of the length, these would not come to an end.
    expect(pathsInLine(`${"\\ ".repeat(500_000)}'`, "/work")).toEqual([]);
    expect(pathsInLine(`@"${"a".repeat(1_000_000)}`, "/work")).toEqual([]);
  });
});

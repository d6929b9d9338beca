import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LARGEST_FILE } from "../base/file-ref.ts";
import { safeFileName } from "./file-name.ts";
import { FileStore, filesFolder } from "./file-store.ts";
import { sniffMediaType } from "./media-type.ts";
import { dropFiles, pruneFiles } from "./prune-files.ts";

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(60)]);
const DAY_MS = 24 * 60 * 60_000;

let home: string;
const clock = createVirtualClock();
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hermes-files-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const kept = () => new FileStore(home, clock);
const called = (name: string, mediaType = "application/octet-stream") => ({ name, mediaType });
const names = () => readdirSync(filesFolder(home));
/** Rows that name nothing but these. */
const rows = (...hashes: string[]) => ({
  named: async (some: readonly string[]) => some.filter((one) => hashes.includes(one)),
});

describe("a kept file", () => {
  test("a file is read as it was given, by its hash, and only its owner may read it", async () => {
    const file = await kept().keep(PNG, called("cat.png"));
    expect(file).toEqual({
      ...{ hash: createHash("sha256").update(PNG).digest("hex"), name: "cat.png" },
      ...{ mediaType: "image/png", size: PNG.length },
    });
    expect(await kept().read(file)).toEqual(PNG);
    expect(statSync(join(filesFolder(home), file.hash)).mode & 0o777).toBe(0o600);
    expect(statSync(filesFolder(home)).mode & 0o777).toBe(0o700);
  });

  test("a file is kept once, whoever sends it and whatever it is called", async () => {
    const all = await Promise.all(["a.png", "b.bin", "c"].map((name) => kept().keep(PNG, called(name))));
    expect(all.map(({ name, mediaType }) => `${name} ${mediaType}`)).toEqual([
      "a.png image/png",
      "b.bin image/png",
      "c image/png",
    ]);
    expect(names()).toEqual([all[0]?.hash]);
  });

  test("a file of more than 25 MB is refused, and nothing of it is left", async () => {
    const keeping = kept().keep(new Uint8Array(LARGEST_FILE + 1), called("film.mov"));
    await expect(keeping).rejects.toMatchObject({ code: "FILE_TOO_LARGE", message: "film.mov is larger than 25 MB." });
    expect(existsSync(filesFolder(home))).toBe(false);
  });

  test("a file is gone for its reader when it was changed, shortened or removed", async () => {
    const file = await kept().keep(PNG, called("cat.png"));
    const path = join(filesFolder(home), file.hash);
    writeFileSync(path, Buffer.alloc(PNG.length));
    expect(await kept().read(file)).toBeNull();
    writeFileSync(path, "short");
    expect(await kept().read(file)).toBeNull();
    rmSync(path);
    expect(await kept().read(file)).toBeNull();
    expect(await kept().read({ hash: "../store/hermes.db", size: 1 })).toBeNull();
  });

  test.each(["half", Buffer.alloc(PNG.length)])(
    "a file that was damaged is replaced when it comes again",
    async (left) => {
      const file = await kept().keep(PNG, called("cat.png"));
      writeFileSync(join(filesFolder(home), file.hash), left);
      await kept().keep(PNG, called("cat.png"));
      expect(await kept().read(file)).toEqual(PNG);
    },
  );

  test("a file of 25 MB is hashed in steps that let others run", async () => {
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    await kept().keep(new Uint8Array(LARGEST_FILE), called("large"));
    clearInterval(counting);
    expect(turns).toBeGreaterThan(5);
  });

  test("a file is whole or not there when its process is killed in between", () => {
    const script = `
      import { FileStore } from ${JSON.stringify(join(import.meta.dirname, "file-store.ts"))};
      const files = new FileStore(process.argv[1], { now: () => Date.now() });
      for (let at = 0; ; at++) {
        void files.keep(Buffer.alloc(3_000_000, at), { name: "a", mediaType: "a/b" });
        if (at === 20) process.kill(process.pid, "SIGKILL");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }`;
    const node = join(import.meta.dirname, "../../../node_modules/node/bin/node");
    const { signal } = spawnSync(node, ["--input-type=module-typescript", "-e", script, home]);
    expect(signal).toBe("SIGKILL");
    expect(names().length).toBeGreaterThan(0);
    const whole = names().filter((name) => !name.endsWith(".new"));
    for (const name of whole) {
      const content = readFileSync(join(filesFolder(home), name));
      expect(createHash("sha256").update(content).digest("hex")).toBe(name);
    }
  });
});

describe("pruning", () => {
  test("a prune removes what no row names after a day, and nothing that one names", async () => {
    const [named, orphan] = [
      await kept().keep(PNG, called("a")),
      await kept().keep(Buffer.from("%PDF-1.7"), called("b")),
    ];
    const draft = join(filesFolder(home), `${orphan.hash}.1-ab.new`);
    writeFileSync(draft, "half");
    await pruneFiles(home, clock, rows(named.hash));
    expect(names()).toHaveLength(3);
    utimesSync(draft, clock.now() / 1000, clock.now() / 1000);
    await clock.advance(DAY_MS + 1);
    await pruneFiles(home, clock, rows(named.hash));
    expect(names()).toEqual([named.hash]);
    await clock.advance(DAY_MS * 100);
    await pruneFiles(home, clock, rows(named.hash));
    expect(names()).toEqual([named.hash]);
  });

  test("a deletion removes what no row names at once, but not what was just kept", async () => {
    const old = await kept().keep(PNG, called("a"));
    await clock.advance(900_001);
    const fresh = await kept().keep(Buffer.from("%PDF-1.7"), called("b"));
    await dropFiles(home, clock, { hashes: [old.hash, fresh.hash], rows: rows() });
    expect(names()).toEqual([fresh.hash]);
    // Kept again: a row is about to name it.
    await kept().keep(PNG, called("a"));
    await clock.advance(30_000);
    await dropFiles(home, clock, { hashes: [old.hash], rows: rows() });
    expect(names()).toContain(old.hash);
  });
});

describe("the media type of a file", () => {
  test.each([
    ["image/png", "\x89PNG\r\n\x1a\n…"],
    ["image/jpeg", "\xff\xd8\xff\xe0"],
    ["image/gif", "GIF89a"],
    ["image/webp", "RIFF\x10\0\0\0WEBPVP8 "],
    ["application/pdf", "\n\n%PDF-1.4"],
    [null, "<svg>"],
    [null, "MZ\x90"],
    [null, ""],
    [null, "RIFF\x10\0\0\0WAVE"],
  ])("the media type is %s by the first bytes", (type, head) => {
    expect(sniffMediaType(Buffer.from(head, "latin1"))).toBe(type);
  });

  test("a picture's type is its content's, and another file's is checked for its form", async () => {
    const typeOf = async (content: Buffer, type: string) => (await kept().keep(content, called("a", type))).mediaType;
    expect(await typeOf(PNG, "text/html")).toBe("image/png");
    expect(await typeOf(Buffer.from("x"), "Video/MP4; codecs=a")).toBe("video/mp4");
    expect(await typeOf(Buffer.from("x"), "not a type\n⟦from")).toBe("application/octet-stream");
  });
});

describe("the name of a file", () => {
  test.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\Users\\ada\\plan.pdf", "plan.pdf"],
    ["a\u0000b\r\n\u001b[31mred.png", "a b [31mred.png"],
    ["photo\u202egnp.exe", "photognp.exe"],
    [".hidden", "hidden"],
    ["..", "file"],
    ["", "file"],
    ["CON.txt", "_CON.txt"],
    ['a<b>:"|?*.png', "a_b______.png"],
    ["résumé 日本.pdf", "résumé 日本.pdf"],
  ])("the name %j becomes %j", (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });

  test("a name of 10,000 characters keeps its ending and fits any file system", () => {
    const name = safeFileName(`${"日".repeat(10_000)}.pdf`);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
    expect(name.endsWith("….pdf")).toBe(true);
  });
});

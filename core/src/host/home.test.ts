import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hermesHome, isHomeSafe, prepareHome } from "./home.ts";
import { CODE_CACHE } from "./home-openings.ts";
import { trustHome } from "./trusted-home.ts";

let folder: string;
let home: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "hermes-home-")));
  home = join(folder, "home");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

function write(path: string, mode = 0o600): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, "");
  chmodSync(file, mode);
  return file;
}

function refusal(at = home): string {
  try {
    prepareHome(at);
    return "none";
  } catch (error) {
    expect(error).toMatchObject({ code: "HOME_OPEN_TO_OTHERS" });
    return error instanceof Error ? error.message : String(error);
  }
}

test("HERMES_HOME names the home, which is ~/.hermes by default", () => {
  expect(hermesHome({ HERMES_HOME: "/srv/hermes", HOME: "/home/ada" })).toBe("/srv/hermes");
  expect(hermesHome({ HOME: "/home/ada" })).toBe("/home/ada/.hermes");
});

test("a new home is closed to others", () => {
  const deep = join(folder, "deep", "home");
  prepareHome(deep);
  expect(modeOf(deep)).toBe(0o700);
});

test("a home that others could read is closed", () => {
  mkdirSync(home, { mode: 0o755 });
  prepareHome(home);
  expect(modeOf(home)).toBe(0o700);
});

test("a file at the path of the home is refused with that reason", () => {
  writeFileSync(home, "");
  expect(() => prepareHome(home)).toThrow(`${home} cannot be used as Hermes' home: it is a file.`);
});

test("a shared folder such as /tmp is refused as home, and left unchanged", () => {
  const shared = join(folder, "shared");
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  expect(() => prepareHome(shared)).toThrow("a folder that others need");
  expect(statSync(shared).mode & 0o7777).toBe(0o1777);
});

describe("a home that others could write to", () => {
  test.each([0o777, 0o770, 0o720, 0o702])("a home with mode %o is refused and left unchanged", (mode) => {
    mkdirSync(home);
    chmodSync(home, mode);
    expect(refusal()).toBe(
      `${home} could be written to by others, so its files may not be yours: ${home} may be written to by others.`,
    );
    expect(isHomeSafe(home)).toBe(false);
    expect(modeOf(home)).toBe(mode);
  });

  test.each(["hermes.config.ts", "trusted-folders.json", "cache/config/a.mjs", "plugins/web/web.db", "x/deep/file"])(
    "a home in which everybody may write to %s is refused",
    (name) => {
      const file = write(name, 0o666);
      expect(refusal()).toContain(`${file} may be written to by others`);
    },
  );

  test("a home with a package folder that others may write to is refused", () => {
    const inner = write("node_modules/@acme/plugin/index.js", 0o666);
    expect(refusal()).toBe("none");
    chmodSync(dirname(inner), 0o777);
    expect(refusal()).toContain(`${dirname(inner)} may be written to by others`);
  });

  test("a home below a folder that others may write to is refused, unless it is sticky", () => {
    prepareHome(home);
    chmodSync(folder, 0o1777);
    expect(refusal()).toBe("none");
    chmodSync(folder, 0o777);
    expect(refusal()).toContain(`${folder} may be written to by others`);
  });

  test("a home is refused when a link to it or in it leads to what others may write to", () => {
    const open = join(folder, "open");
    mkdirSync(join(open, "home"), { recursive: true, mode: 0o700 });
    symlinkSync(join(open, "home"), home);
    expect(refusal()).toBe("none");
    chmodSync(open, 0o777);
    expect(refusal()).toContain(`${open} may be written to by others`);
    chmodSync(open, 0o700);
    const config = join(open, "dotfile.ts");
    writeFileSync(config, "");
    symlinkSync(config, join(home, "hermes.config.ts"));
    symlinkSync(join(folder, "nowhere"), join(home, "dangling"));
    expect(refusal()).toBe("none");
    chmodSync(config, 0o666);
    expect(refusal()).toContain(`${config} may be written to by others`);
  });

  test("a home is refused when others can change a link's path or create its target", () => {
    const open = join(folder, "open");
    mkdirSync(open);
    prepareHome(home);
    writeFileSync(join(folder, "dotfile.ts"), "");
    symlinkSync(join(folder, "dotfile.ts"), join(open, "by-way.ts"));
    const link = join(home, "hermes.config.ts");
    for (const target of ["by-way.ts", "nowhere.ts"]) {
      symlinkSync(join(open, target), link);
      chmodSync(open, 0o700);
      expect(refusal()).toBe("none");
      chmodSync(open, 0o777);
      expect(refusal()).toContain(`${open} may be written to by others`);
      rmSync(link);
    }
  });

  test("the error names the first unsafe path, and counts the others once", () => {
    mkdirSync(home);
    chmodSync(home, 0o777);
    for (const name of ["a", "b", "c"]) write(name, 0o666);
    expect(refusal()).toMatch(/home may be written to by others, and 3 more such\.$/);
  });

  test("trusting an open home closes it; it is refused once it is open again", () => {
    const file = write("deep/hermes.config.ts", 0o666);
    const planted = [write("cache/config/planted.mjs"), write(join(CODE_CACHE, "v24/planted"))];
    chmodSync(home, 0o777);
    expect(trustHome(home).map(({ path }) => path)).toEqual([home, file]);
    expect(refusal()).toBe("none");
    expect([modeOf(home), modeOf(file)]).toEqual([0o700, 0o644]);
    expect(planted.filter((path) => existsSync(path))).toEqual([]);
    chmodSync(home, 0o777);
    expect(refusal()).toContain("may be written to by others");
  });

  test("trusting a home accepts a parent folder that stays open", () => {
    prepareHome(home);
    chmodSync(folder, 0o777);
    trustHome(home);
    expect(refusal()).toBe("none");
    expect(modeOf(folder)).toBe(0o777);
  });
});

/** Only root can change the owner of a file. */
describe.skipIf(process.getuid?.() !== 0)("what belongs to another user", () => {
  const ada = 54_321;

  test("a home, file or link that belongs to another user is refused", () => {
    prepareHome(home);
    const config = write("hermes.config.ts");
    symlinkSync(config, join(home, "link.ts"));
    for (const path of [home, config]) {
      chownSync(path, ada, ada);
      expect(refusal()).toContain(`${path} belongs to somebody else`);
      chownSync(path, 0, 0);
    }
    lchownSync(join(home, "link.ts"), ada, ada);
    expect(refusal()).toContain(`${join(home, "link.ts")} belongs to somebody else`);
  });

  test("a file that a foreign group may write to is refused", () => {
    const file = write("hermes.config.ts", 0o664);
    expect(refusal()).toBe("none");
    chownSync(file, 0, ada);
    chmodSync(file, 0o664);
    expect(refusal()).toContain(`${file} may be written to by others`);
  });

  test("a parent folder or link of the home that belongs to another user is refused", () => {
    const way = join(folder, "way");
    mkdirSync(way);
    prepareHome(join(way, "home"));
    symlinkSync(way, join(folder, "link"));
    expect(refusal(join(folder, "link", "home"))).toBe("none");
    lchownSync(join(folder, "link"), ada, ada);
    expect(refusal(join(folder, "link", "home"))).toContain(`${join(folder, "link")} belongs to somebody else`);
    chownSync(way, ada, ada);
    expect(refusal(join(way, "home"))).toContain(`${way} belongs to somebody else`);
  });

  test("trusting a home trusts its owner for good, and no other user", () => {
    prepareHome(home);
    chownSync(home, ada, ada);
    trustHome(home);
    expect(refusal()).toBe("none");
    const later = write("hermes.config.ts");
    chownSync(later, ada, ada);
    expect(refusal()).toBe("none");
    chownSync(later, ada + 1, ada);
    expect(refusal()).toContain(`${later} belongs to somebody else`);
  });

  test("a trust file that belongs to another user is ignored", () => {
    prepareHome(home);
    chownSync(home, ada, ada);
    const planted = write("trusted-home.json");
    writeFileSync(planted, JSON.stringify({ version: 1, owners: [ada], open: [] }));
    chownSync(planted, ada, ada);
    expect(refusal()).toContain(`${home} belongs to somebody else`);
  });
});

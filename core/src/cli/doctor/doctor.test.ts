import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultConfig } from "../../config/load-config.ts";
import { openStore } from "../../host/open-store.ts";
import { createDoctorBench, type DoctorBench, installPager } from "./test-doctor.ts";

let bench: DoctorBench;
beforeEach(() => {
  bench = createDoctorBench();
});
afterEach(() => bench[Symbol.dispose]());

const storeFile = () => join(bench.home, "store", "hermes.db");

async function makeStore(): Promise<void> {
  const store = await openStore(bench.home);
  await store.close();
}

function inStore(sql: string): void {
  const database = new SqliteDatabase(storeFile());
  database.unsafeMode();
  database.exec(sql);
  database.close();
}

/** Where the first page of a table lies in the store, in bytes. */
function pageOf(table: string): { readonly offset: number; readonly size: number } {
  const database = new SqliteDatabase(storeFile(), { readonly: true });
  const size = database.pragma("page_size", { simple: true }) as number;
  const root = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = ?").pluck().get(table) as number;
  database.close();
  return { offset: (root - 1) * size, size };
}

describe("hermes doctor", () => {
  test("a fresh home has no problem, and the report names what is missing", async () => {
    const { code, stdout, stderr } = await bench.run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Home\n  ✓ ${bench.home} is yours, and closed to others.\n`);
    expect(stdout).toContain("  ! There is no config: the defaults are used.\n    → Run `hermes init` to write one.\n");
    expect(stdout).toContain("Sandbox\n  ✓ There is none: a command that you allow can do what you can");
    expect(stdout).toMatch(/\n\n\d warnings\.\n$/);
  });

  test("signs are words where HERMES_PLAIN asks for plain text", async () => {
    bench.environment.HERMES_PLAIN = "1";
    const { stdout } = await bench.run();
    expect(stdout).toContain("  ok: ");
    expect(stdout).toContain("  warning: There is no config: the defaults are used.\n    what to do: Run");
    expect(stdout).not.toMatch(/[✓✗→]/);
  });

  test("--json prints one document with every finding", async () => {
    const { code, stdout } = await bench.run("--json");
    expect(code).toBe(0);
    const { ok, findings } = JSON.parse(stdout);
    expect(ok).toBe(true);
    expect(findings).toContainEqual({
      check: "model",
      state: "warning",
      message: "No model is set: a stand-in answers, which only says so.",
      hint: expect.stringContaining("Set `model` in the config"),
      fixed: null,
    });
  });

  test("a secret of the config is in nothing that is printed", async () => {
    const secret = "not-to-be-seen-4711";
    const setup = `export const setup = { ways: [], async examine({ token }) {
      return { account: null, findings: [{ state: "problem", message: "It refuses " + token + ".", hint: "Look at " + token }] };
    } };`;
    bench.config = defaultConfig(bench.folder, { plugins: [installPager(bench.folder, setup, { token: secret })] });
    const { code, stdout } = await bench.run();
    expect(code).toBe(1);
    expect(stdout).toContain("✗ It refuses [redacted].");
    expect(stdout).not.toContain(secret);
  });

  test("Ctrl-C ends it while a platform does not answer", async () => {
    const setup = "export const setup = { ways: [], examine: () => new Promise(() => {}) };";
    bench.config = defaultConfig(bench.folder, { plugins: [installPager(bench.folder, setup)] });
    const run = bench.start();
    await run.printed("Versions");
    run.signal("SIGINT");
    expect(await run.ended).toBe(1);
    expect(run.stderr()).toContain("Stopped before everything was examined.");
  });
});

/** How it is broken, and what the doctor says. `$` stands for the folder of the test. */
type Damage = readonly [
  what: string,
  check: string,
  damage: () => unknown,
  state: "warning" | "problem",
  message: string,
  hint: string,
];

const DAMAGES: readonly Damage[] = [
  [
    ...(["a home that others may look into", "home", () => chmodSync(bench.home, 0o755)] as const),
    ...(["warning", "Others on this machine may look into $/home.", "Run `chmod 700 $/home`."] as const),
  ],
  [
    ...(["a home that everybody may write to", "home", () => chmodSync(bench.home, 0o777)] as const),
    ...(["problem", "$/home could be written to by others", "`hermes trust --home`"] as const),
  ],
  [
    "a home that is a link to nowhere",
    "home",
    () => {
      rmSync(bench.home, { recursive: true });
      symlinkSync(join(bench.folder, "gone"), bench.home);
    },
    ...(["problem", "$/home is a link that leads nowhere.", "`rm $/home`"] as const),
  ],
  [
    "a store that others may read",
    "home",
    async () => {
      await makeStore();
      chmodSync(storeFile(), 0o644);
    },
    ...(["warning", "$/home/store/hermes.db would be read", "`chmod 600 $/home/store/hermes.db`"] as const),
  ],
  [
    "a store that is no database",
    "store",
    async () => {
      await makeStore();
      writeFileSync(storeFile(), "no database. ".repeat(1_000));
    },
    ...(["problem", "file is not a database", "`hermes restore <file>`"] as const),
  ],
  [
    "a store with bytes that were overwritten",
    "store",
    async () => {
      await makeStore();
      const { offset, size } = pageOf("messages");
      const bytes = readFileSync(storeFile());
      writeFileSync(storeFile(), bytes.fill(0x5a, offset, offset + size));
    },
    ...(["problem", "The store $/home/store/hermes.db is damaged: ", "`hermes restore <file>`"] as const),
  ],
  [
    "a store that a newer Hermes wrote",
    "store",
    async () => {
      await makeStore();
      inStore("PRAGMA user_version = 999");
    },
    ...(["problem", "A newer Hermes wrote the store (tables 999", "Upgrade Hermes"] as const),
  ],
  [
    "messages that did not arrive",
    "store",
    async () => {
      await makeStore();
      inStore(`INSERT INTO outbox_messages VALUES (1, '{}'); INSERT INTO outbox
        (id, key, position, part, platform, account, conversation, message_id, state, due_at, created_at)
        VALUES ('a', 'k', 1, 1, 'pager', '', '{}', 1, 'failed', 0, 0)`);
    },
    ...(["warning", "1 message did not arrive.", "`hermes deliveries`"] as const),
  ],
  [
    ...(["an untrusted config", "config", () => bench.write("hermes.config.json", "{}")] as const),
    ...(["warning", "$/hermes.config.json was not loaded", "run `hermes trust` there"] as const),
  ],
  [
    "a config that is wrong",
    "config",
    () => {
      bench.environment.HERMES_CONFIG = bench.write("hermes.config.json", '{"log": {"level": "loud"}}');
    },
    ...(["problem", "$/hermes.config.json: log.level is", "`hermes config check`"] as const),
  ],
  [
    "a secret that is written into the config",
    "config",
    () => {
      const config = {
        providers: { local: { baseUrl: "http://127.0.0.1:1/v1", apiKey: "abc12345" } },
      };
      bench.environment.HERMES_CONFIG = bench.write("hermes.config.json", JSON.stringify(config));
    },
    ...(["warning", "$/hermes.config.json contains a secret in plain text (apiKey)", "as NAME=…, and write"] as const),
  ],
  [
    "a model without a key",
    "model",
    () => {
      bench.config = defaultConfig(bench.folder, { model: "anthropic/claude-sonnet-4-5" });
    },
    ...(["problem", "anthropic needs a key, and ANTHROPIC_API_KEY is not set.", "Set ANTHROPIC_API_KEY"] as const),
  ],
  [
    "a limit in dollars that counts the tokens of a model of unknown price",
    "model",
    () => {
      const models = { known: {}, fallback: ["mine/new"] };
      bench.config = defaultConfig(bench.folder, { models, limits: { day: { dollars: 5 } } });
    },
    ...(["warning", "`limits.day` in the config counts 100,000 tokens of mine/new", "limit `tokens` as well"] as const),
  ],
  [
    "a model server that does not run",
    "model",
    () => {
      const providers = { ollama: { baseUrl: "http://127.0.0.1:2/v1" } };
      bench.config = defaultConfig(bench.folder, { model: "ollama/qwen3", providers });
    },
    ...(["problem", "nobody listens at http://127.0.0.1:2", "Run `ollama serve`."] as const),
  ],
  [
    "a proxy that nobody runs",
    "network",
    () => {
      bench.environment.HTTP_PROXY = "http://127.0.0.1:1";
      const providers = { far: { baseUrl: "http://models.example/v1" } };
      bench.config = defaultConfig(bench.folder, { model: "far/x", providers });
    },
    ...(["problem", "No way to models.example:80: the proxy 127.0.0.1:1 cannot be reached", "NO_PROXY"] as const),
  ],
  [
    "a proxy whose address is none",
    "network",
    () => {
      bench.environment.HTTPS_PROXY = "socks5://127.0.0.1:1";
    },
    ...(["problem", "The environment variable HTTPS_PROXY begins with socks5://", "Correct HTTPS_PROXY"] as const),
  ],
  [
    "a clock that was never set",
    "clock",
    () => {
      bench.clock = createVirtualClock(Date.UTC(1970, 0, 2));
    },
    ...(["problem", "The clock says 1970-01-02 00:00 UTC.", "timedatectl set-ntp true"] as const),
  ],
  [
    "a clock that was set back",
    "clock",
    async () => {
      const clock = createVirtualClock();
      const store = await openStore(bench.home, { clock });
      await store.sessions.create({ title: null, user: "operator" as never, origin: "terminal", originChat: null });
      await store.close();
      bench.clock = createVirtualClock(clock.now() - 3 * 60 * 60_000);
    },
    ...(["problem", "The clock is 3 h behind what was written last in the store.", "timedatectl"] as const),
  ],
  [
    "a second copy of Hermes in the project",
    "versions",
    () => {
      const core = join(bench.folder, "node_modules", "@hermes", "core");
      mkdirSync(core, { recursive: true });
      writeFileSync(join(core, "package.json"), JSON.stringify({ name: "@hermes/core", version: "0.0.9" }));
      bench.config = defaultConfig(bench.folder);
    },
    ...(["problem", "the project of the config has $/node_modules/@hermes/core (0.0.9)", "`npx hermes`"] as const),
  ],
  [
    "a plugin that was made for another Hermes",
    "versions",
    () => {
      const plugin = installPager(bench.folder, null);
      const file = join(bench.folder, "node_modules", "hermes-plugin-pager", "package.json");
      writeFileSync(file, readFileSync(file, "utf8").replace("^0.1.0", "^7.0.0"));
      bench.config = defaultConfig(bench.folder, { plugins: [plugin] });
    },
    ...([
      "warning",
      "hermes-plugin-pager is made for Hermes ^7.0.0",
      "`npm install hermes-plugin-pager@latest`",
    ] as const),
  ],
  [
    "a platform that nobody serves",
    "gateway",
    () => {
      bench.config = defaultConfig(bench.folder, { plugins: [installPager(bench.folder, null)] });
    },
    ...(["warning", "No gateway is running, so nobody serves pager.", "`hermes gateway --detach`"] as const),
  ],
  [
    "a plugin that is not installed",
    "plugin hermes-plugin-nowhere",
    () => {
      bench.environment.HERMES_CONFIG = bench.write("hermes.config.json", '{"plugins": ["hermes-plugin-nowhere"]}');
    },
    ...([
      "problem",
      "The plugin hermes-plugin-nowhere was not found",
      "`hermes plugins add hermes-plugin-nowhere`",
    ] as const),
  ],
  [
    "a platform that everybody may use",
    "plugin pager",
    () => {
      const plugin = installPager(bench.folder, null, { allowedUsers: ["*"] });
      bench.config = defaultConfig(bench.folder, { plugins: [plugin] });
    },
    ...(["warning", "Everybody may talk to the agent there", "`allowedUsers` by their ids"] as const),
  ],
  [
    "a platform without a home channel",
    "plugin pager",
    () => {
      const setup = `export const setup = { title: "Pager", ways: [{ name: "bot" }], examine: async () => ({ account: null, findings: [] }) };`;
      bench.config = defaultConfig(bench.folder, { plugins: [installPager(bench.folder, setup)] });
    },
    ...(["warning", "Pager has no home channel: nothing can be handed off to it.", "`hermes init`"] as const),
  ],
  [
    "a plugin whose check fails in the background",
    "plugin pager",
    () => {
      const setup = `export const setup = { ways: [], examine: () =>
        new Promise(() => setImmediate(() => { throw new Error("the socket fell over"); })) };`;
      bench.config = defaultConfig(bench.folder, { plugins: [installPager(bench.folder, setup)] });
    },
    ...(["problem", "The check of hermes-plugin-pager failed: the socket fell over.", "the author"] as const),
  ],
];

describe("what is broken is named, with what to do", () => {
  test.each(DAMAGES)("the doctor names %s", async (_what, check, damage, state, message, hint) => {
    await damage();
    const text = (words: string) => expect.stringContaining(words.replaceAll("$/", `${bench.folder}/`));
    expect(await bench.findings(check)).toContainEqual(
      expect.objectContaining({ state, message: text(message), hint: text(hint), fixed: null }),
    );
    expect((await bench.run()).code).toBe(state === "problem" ? 1 : 0);
  });

  test("a platform that does not answer is given up after 10 s, and holds up nothing", async () => {
    const clock = createVirtualClock();
    bench.clock = clock;
    const setup = "export const setup = { ways: [], examine: () => new Promise(() => {}) };";
    bench.config = defaultConfig(bench.folder, { plugins: [installPager(bench.folder, setup)] });
    const run = bench.start();
    await run.printed("Versions");
    await clock.advance(10_000);
    expect(await run.ended).toBe(1);
    expect(run.stdout()).toContain("pager\n  ✗ This was not known within 10 s.");
    expect(run.stdout()).toContain("Gateway\n");
  });

  test("a config in a home that others may write to is not run", async () => {
    writeFileSync(join(bench.home, "hermes.config.mjs"), 'throw new Error("it was run");');
    chmodSync(bench.home, 0o777);
    const { code, stdout } = await bench.run();
    expect(code).toBe(1);
    expect(stdout).not.toContain("it was run");
    expect(stdout).toContain("The config was not read: the home is open to others");
  });
});

describe("--fix", () => {
  test("closes the home and the store to others, and says so", async () => {
    await makeStore();
    chmodSync(bench.home, 0o755);
    chmodSync(storeFile(), 0o644);
    expect((await bench.run()).stdout).toContain("`hermes doctor --fix` mends 2 of them.");
    const { code, stdout } = await bench.run("--fix");
    expect(code).toBe(0);
    expect(stdout).toContain(`mended → Closed ${bench.home} to others.`);
    expect(statSync(bench.home).mode & 0o777).toBe(0o700);
    expect(statSync(storeFile()).mode & 0o777).toBe(0o600);
  });

  test("builds a damaged index of the search anew", async () => {
    await makeStore();
    inStore("UPDATE message_index_data SET block = x'00ff00ff00ff' WHERE id = 10");
    const [finding] = await bench.findings("store", "--fix");
    expect(finding).toMatchObject({ state: "problem", fixed: expect.stringContaining("built anew") });
    expect((await bench.findings("store")).map(({ state }) => state)).toEqual(["ok"]);
  });

  test("closes a .env and lets git ignore it, and leaves one that git has to its owner", async () => {
    bench.environment.HERMES_CONFIG = bench.write("hermes.config.json", "{}");
    const env = bench.write(".env", "ACME_TOKEN=abc\n");
    bench.write(".gitignore", "node_modules");
    chmodSync(env, 0o644);
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: bench.folder });
    git("init", "-q");
    await bench.run("--fix");
    expect(statSync(env).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(bench.folder, ".gitignore"), "utf8")).toBe("node_modules\n.env\n");

    git("add", "-f", ".env");
    const [finding] = await bench.findings("config", "--fix").then((all) => all.filter(({ state }) => state !== "ok"));
    expect(finding).toMatchObject({
      state: "problem",
      message: `${env} is kept in git: whoever gets the repository has the secrets in it.`,
      fixed: null,
    });
  });

  test("removes the draft of a file whose writer is long gone, and no other", async () => {
    const long = new Date(Date.now() - 2 * 24 * 60 * 60_000);
    const drafts = ["999999999", String(process.pid)].map((pid) => join(bench.home, `trusted-folders.json.${pid}.new`));
    for (const draft of drafts) {
      writeFileSync(draft, "{");
      utimesSync(draft, long, long);
    }
    await bench.run("--fix");
    expect(drafts.map((draft) => existsSync(draft))).toEqual([false, true]);
  });
});

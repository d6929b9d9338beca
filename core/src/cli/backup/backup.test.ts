import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { create, list } from "tar";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Conversation } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { systemClock } from "../../base/clock.ts";
import { thisProcess } from "../../base/process-identity.ts";
import { FileStore } from "../../files/file-store.ts";
import { swapHomes } from "../../host/finish-restore.ts";
import { prepareHome } from "../../host/home.ts";
import { openStore } from "../../host/open-store.ts";
import type { ApprovalId, NewApproval } from "../../model/approval.ts";
import { newAskId } from "../../model/ask.ts";
import { homeOf } from "../../model/place.ts";
import { EVERY_SESSION, OPERATOR } from "../../model/session.ts";
import { TOOL_NOT_RUN } from "../../model/transcript.ts";
import type { Store } from "../../store/store.ts";
import { runCli } from "../program.ts";
import { createTestTerminal } from "../test-terminal.ts";

const CHAT: Conversation = { platform: "pager", chatId: "7", kind: "dm", isPrivate: true };
const KEY = buildSessionKey(CHAT);

let folder: string;
let home: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-backup-"));
  home = join(folder, "home");
  file = join(folder, "backup.tar.gz");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function hermes(...words: string[]) {
  const terminal = createTestTerminal({ home, workingDirectory: folder });
  const code = await runCli(words, { io: terminal.io });
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(home);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const begin = (title: string) => (store: Store) =>
  store.sessions.create({ title, user: OPERATOR, origin: "terminal", originChat: null });
const titles = () =>
  withStore(async ({ sessions }) =>
    (await sessions.list({ visible: EVERY_SESSION, limit: 9 })).sessions.map(({ title }) => title),
  );
const inbound = (messageId: string, sentAt: number) => ({
  ...{ conversation: CHAT, messageId, sender: { id: "1", name: "Ada" }, text: "Hello", sentAt },
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, path), text, { mode: 0o600 });
}

const asides = () => readdirSync(folder).filter((name) => name.startsWith("home."));

describe("hermes backup and hermes restore", () => {
  test("a backup holds sessions and plugins' files, but no config, log or cache", async () => {
    await withStore(begin("plan"));
    for (const path of ["plugins/pager/keys.json", "chat-history", "logs/hermes.log", "cache/x", ".env"])
      write(path, "x");
    write("hermes.config.json", "{}");
    expect(await hermes("backup", file)).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const names: string[] = [];
    list({ file, sync: true, onReadEntry: ({ path }) => names.push(path.slice(2)) });
    expect(names.toSorted()).toEqual(["chat-history", "manifest.json", "plugins/pager/keys.json", "store/hermes.db"]);
    expect((await hermes("backup", file)).stderr).toContain("it is there already");
    expect((await hermes("backup", "gone/x.tar.gz")).stderr).toContain(`there is no folder ${join(folder, "gone")}.`);
    const { stdout } = await hermes("backup", "whole.tar.gz", "--with-config");
    expect(stdout).toContain("with the secrets in them");
    expect(readdirSync(folder).toSorted()).toEqual(["backup.tar.gz", "home", "whole.tar.gz"]);
  });

  test("restore brings a deleted session back, and puts the present home aside", async () => {
    const { id } = await withStore(begin("plan"));
    const ada = await withStore(async ({ people }) => {
      const person = await people.add({ name: "Ada", role: "member" });
      await people.link({ platform: "pager", account: undefined, key: "1" }, person.id, "code", null);
      return people.get(person.id);
    });
    write("plugins/pager/keys.json", "then");
    write("plugins/lost/keys.json", "then");
    await hermes("backup", file);
    await withStore(async (store) => {
      await store.sessions.delete(id);
      if (ada) await store.people.remove(ada.id);
      await begin("later")(store);
      expect((await hermes("restore", file, "--yes")).stderr).toContain("is in use by another process");
    });
    write("plugins/pager/keys.json", "now");
    rmSync(join(home, "plugins/lost"), { recursive: true });
    write("hermes.config.json", "{}");
    expect((await hermes("restore", file)).code).toBe(2);
    expect(await titles()).toEqual(["later"]);

    const restored = await hermes("restore", file, "--yes", "--json");
    const { aside } = JSON.parse(restored.stdout);
    expect(await titles()).toEqual(["plan"]);
    expect(await withStore(({ people }) => people.find("Ada"))).toEqual([ada]);
    expect(asides()).toEqual([aside.slice(folder.length + 1)]);
    expect(readFileSync(join(home, "plugins/pager/keys.json"), "utf8")).toBe("now");
    expect(readFileSync(join(home, "plugins/lost/keys.json"), "utf8")).toBe("then");
    expect(existsSync(join(home, "hermes.config.json"))).toBe(true);
    home = aside;
    expect(await titles()).toEqual(["later"]);
  });

  test("a backup holds the files that sessions name, and restore brings them back", async () => {
    const files = new FileStore(home, systemClock);
    const picture = await withStore(async (store) => {
      const { id } = await begin("plan")(store);
      const kept = await files.keep(Buffer.from("a cat"), { name: "cat.png", mediaType: "image/png" });
      await store.turns.startTurn({
        ...{ sessionId: id, holder: thisProcess("prc_1", "terminal"), leaseMs: 1, surface: "terminal" },
        ...{ cause: { kind: "terminal" }, message: { role: "user", text: "Which cat?", files: [kept] } },
      });
      return kept;
    });
    await hermes("backup", file);
    rmSync(join(home, "files"), { recursive: true });
    const later = await files.keep(Buffer.from("a dog"), { name: "dog.png", mediaType: "image/png" });
    expect((await hermes("restore", file, "--yes")).stderr).toBe("");
    expect((await files.read(picture))?.toString()).toBe("a cat");
    expect(statSync(join(home, "files", picture.hash)).mode & 0o777).toBe(0o600);
    expect(await files.read(later)).toBeNull();
  });

  test("two restores within a second keep both former homes", async () => {
    await withStore(begin("plan"));
    await hermes("backup", file);
    for (const which of ["first", "second"]) {
      write("which", which);
      expect(await hermes("restore", file, "--yes")).toMatchObject({ code: 0, stderr: "" });
    }
    const former = asides().map((aside) => readFileSync(join(folder, aside, "which"), "utf8"));
    expect(former).toEqual(["first", "second"]);
  });

  test("a former home that cannot be put aside leaves no ready home beside it", () => {
    write("which", "old");
    const [staged, aside] = [`${home}.restoring`, `${home}.before`];
    mkdirSync(staged, { mode: 0o700 });
    mkdirSync(join(aside, "full"), { recursive: true });
    expect(() => swapHomes(home, staged, aside)).toThrow("ENOTEMPTY");
    expect(readdirSync(folder).toSorted()).toEqual(["home", "home.before"]);
  });

  test("a backup makes no folder trusted where it is restored", async () => {
    await withStore(begin("plan"));
    write("trusted-folders.json", JSON.stringify({ version: 2, folders: { "/theirs": null } }));
    await hermes("backup", file);
    rmSync(join(home, "trusted-folders.json"));
    expect(await hermes("restore", file, "--yes")).toMatchObject({ code: 0 });
    expect(existsSync(join(home, "trusted-folders.json"))).toBe(false);
  });

  test("a restored store sends and answers nothing that may be out, and lists it", async () => {
    await withStore(async ({ outbox, inbox }) => {
      await outbox.enqueue([{ key: KEY, conversation: CHAT, message: { kind: "notice", markdown: "An answer." } }]);
      await inbox.acceptInbound(KEY, inbound("m1", Date.now()));
    });
    await hermes("backup", file);
    const { stdout } = await hermes("restore", file, "--yes");
    expect(stdout).toMatch(/1 message waited to be sent .*hermes deliveries/);
    expect(stdout).toMatch(/1 message waited for an answer/);
    expect((await hermes("deliveries")).stdout).toMatch(
      /on pager.*: may not have arrived, to be sent by hand, just.*\n {5}It waited when the backup/,
    );
    await withStore(async ({ outbox, inbox, deliveries }) => {
      expect(await outbox.head(KEY)).toBeNull();
      expect(await inbox.head(KEY)).toBeNull();
      const notice = { kind: "notice", markdown: "x" } as const;
      const at = { key: KEY, conversation: CHAT };
      expect(await deliveries.offer(at, { failed: notice, uncertain: notice }, 9)).toEqual([]);
      expect(await inbox.acceptInbound(KEY, inbound("m2", Date.now() - 60_000))).toEqual({
        outcome: "before-restore",
      });
      expect(await inbox.acceptInbound(KEY, inbound("m2", Date.now() - 60_000))).toEqual({ outcome: "duplicate" });
      expect(await inbox.acceptInbound(KEY, inbound("m3", Date.now() + 1_000))).toMatchObject({ outcome: "accepted" });
    });
  });

  test("a restored store goes on with no turn, whoever may have answered it since", async () => {
    const sessionId = await withStore(async (store) => {
      const { id } = await begin("plan")(store);
      const holder = { id: "prc_1", host: "here", pid: 1, pidStart: "1", role: "terminal" } as const;
      const started = await store.turns.startTurn({
        ...{ sessionId: id, holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 15_000 },
        message: { role: "user", text: "Do it" },
      });
      if (!started.ok) throw new Error(started.reason);
      const { turn, fence } = started;
      const toolCalls = [{ id: "1.1", name: "shell", input: {} }];
      await store.turns.append(turn.id, fence, [{ role: "assistant", text: "", toolCalls }]);
      const approval: NewApproval = {
        ...{ id: "approval-of-80-bits" as ApprovalId, code: "k3mxp", callId: "1.1", tool: "shell" },
        ...{ summary: "npm test", detail: "", digest: "d", rules: [], answers: [], messages: [], ttlMs: null },
        kind: "call",
      };
      const park = { turnId: turn.id, fence, reason: "approval", approvals: [approval] } as const;
      await store.turns.parkTurn({ ...park, shownAt: [], outbox: [] });
      return id;
    });
    await hermes("backup", file);
    expect(await hermes("restore", file, "--yes")).toMatchObject({ code: 0 });
    await withStore(async ({ turns, approvals, transcripts }) => {
      expect(await turns.running(sessionId)).toBeNull();
      expect(await turns.resumable("terminal")).toEqual([]);
      expect(await approvals.byCode("k3mxp")).toMatchObject({ state: "cancelled" });
      const rows = await transcripts.read(sessionId);
      expect(rows.slice(2)).toMatchObject([{ text: TOOL_NOT_RUN, toolCallId: "1.1" }, { internal: true }]);
    });
  });

  test("a restored store takes no offer and sends no session away that it held", async () => {
    const holder = { id: "one", host: "here", pid: 1, pidStart: "1", role: "gateway" } as const;
    const at = { key: KEY, conversation: CHAT };
    const { session, fresh, ask } = await withStore(async (store) => {
      const session = await begin("plan")(store);
      const fresh = await begin("fresh")(store);
      await store.bindings.bind({ ...at, sessionId: fresh.id, mirrors: false });
      const accepted = await store.inbox.acceptInbound(KEY, inbound("m1", Date.now()));
      if (accepted.outcome !== "accepted") throw new Error(accepted.outcome);
      const ask = newAskId();
      await store.turns.startTurn({
        ...{ sessionId: fresh.id, holder, leaseMs: 60_000, surface: KEY },
        cause: { kind: "inbox", inboxId: accepted.row.id },
        message: { role: "user", text: "Hello" },
        offer: {
          ...{ id: ask, kind: "offer", person: OPERATOR, sessionId: session.id, at: [at], ttlMs: 1_800_000 },
          message: { kind: "question", markdown: "Go on?", choices: [] },
          outcomes: { taken: "Yes.", declined: "No.", expired: "Over." },
        },
      });
      expect(await store.asks.takeAlong(ask)).toMatchObject({ state: "waits" });
      await store.away.set(session.id, { to: homeOf("pager"), restMs: 1_000, by: OPERATOR });
      return { session, fresh, ask };
    });
    await hermes("backup", file);
    expect(await hermes("restore", file, "--yes")).toMatchObject({ code: 0 });
    await withStore(async (store) => {
      expect(await store.asks.takeAlong(ask)).toMatchObject({ state: "over", ask: { state: "expired" } });
      expect(await store.bindings.get(KEY)).toMatchObject({ sessionId: fresh.id });
      expect(await store.turns.running(session.id)).toBeNull();
      expect(await store.away.get(session.id)).toBeNull();
    });
  });

  test("a restore that was killed leaves the old home or the new one, whole", async () => {
    write("which", "old");
    const [staged, aside] = [`${home}.restoring`, `${home}.before`];
    mkdirSync(staged, { mode: 0o700 });
    writeFileSync(join(staged, "which"), "new");
    swapHomes(home, staged, aside);
    const which = () => readFileSync(join(home, "which"), "utf8");
    expect([which(), readFileSync(join(aside, "which"), "utf8")]).toEqual(["new", "old"]);

    // Killed between the two renames: the next process makes the second.
    writeFileSync(join(home, "restored-from.json"), JSON.stringify({ aside }));
    renameSync(home, `${home}.restored`);
    // Also where a link leads to the home.
    symlinkSync(home, join(folder, "link"));
    prepareHome(join(folder, "link"));
    expect(which()).toBe("new");
    // Killed before the first: what was ready is not taken, also when the home is removed later.
    mkdirSync(`${home}.restored`);
    writeFileSync(join(`${home}.restored`, "restored-from.json"), JSON.stringify({ aside: `${home}.none` }));
    rmSync(home, { recursive: true });
    prepareHome(home);
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("a hostile or damaged backup", () => {
  const sha256 = "0".repeat(64);
  const named = (...files: object[]) => ({
    ...{ format: 1, hermes: "1", createdAt: 1, files: [{ path: "store/hermes.db", size: 1, sha256 }, ...files] },
  });

  /** An archive of entries of the test's own choosing. */
  async function archive(manifest: object, entries = ["store/hermes.db"], prepare = (_stage: string) => {}) {
    const stage = mkdtempSync(join(folder, "stage-"));
    mkdirSync(join(stage, "store"));
    writeFileSync(join(stage, "store/hermes.db"), "x");
    writeFileSync(join(stage, "manifest.json"), JSON.stringify(manifest));
    prepare(stage);
    await create({ file, cwd: stage, gzip: true, preservePaths: true }, ["manifest.json", ...entries]);
  }

  test.each([
    ["leads out of the home", named({ path: "plugins/../../evil", size: 1, sha256 }), /its manifest cannot be read/],
    ["has an absolute path", named({ path: "/etc/evil", size: 1, sha256 }), /its manifest cannot be read/],
    ["holds code", named({ path: "hermes.config.ts", size: 1, sha256 }), /its manifest cannot be read/],
    ["is of a newer Hermes", { ...named(), format: 2 }, /written by a newer Hermes/],
    ["names more than it holds", named({ path: "chat-history", size: 1, sha256 }), /chat-history is missing/],
    ["is damaged", named(), /store\/hermes\.db in it is damaged/],
  ])("restore refuses a backup that %s, and changes nothing", async (_, manifest, reason) => {
    await withStore(begin("plan"));
    await archive(manifest);
    const { code, stderr } = await hermes("restore", file, "--yes");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(reason) });
    expect([readdirSync(folder).filter((name) => name.startsWith("home")), await titles()]).toEqual([
      ["home"],
      ["plan"],
    ]);
  });

  test.each([
    ["a link", ["store"], /store in it is no plain file/],
    ["a folder", ["plugins"], /plugins\/ in it is no plain file/],
    ["a path out of the home", ["../evil"], /\.\.\/evil does not belong into it/],
    ["a file twice", ["store/hermes.db", "store/hermes.db"], /is there twice/],
    ["a file larger than is said", ["store/hermes.db"], /a different size than its manifest says/],
  ])("restore refuses a backup with an entry for %s", async (what, entries, reason) => {
    writeFileSync(join(folder, "evil"), "x");
    await archive(named(), entries, (stage) => {
      mkdirSync(join(stage, "plugins"));
      if (what.includes("larger")) writeFileSync(join(stage, "store/hermes.db"), "x".repeat(9));
      if (what !== "a link") return;
      rmSync(join(stage, "store"), { recursive: true });
      symlinkSync("/etc", join(stage, "store"));
    });
    expect((await hermes("restore", file, "--yes")).stderr).toMatch(reason);
  });

  test("restore refuses what is no archive, is cut off, or was changed", async () => {
    await withStore(begin("plan"));
    writeFileSync(file, "no archive");
    expect((await hermes("restore", file, "--yes")).stderr).toContain("was not restored");
    rmSync(file);
    await hermes("backup", file);
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, whole.length / 2));
    expect((await hermes("restore", file, "--yes")).stderr).toContain("was not restored");
    const changed = Buffer.from(whole);
    changed[Math.floor(whole.length / 2)] = (changed[Math.floor(whole.length / 2)] ?? 0) ^ 0xff;
    writeFileSync(file, changed);
    expect((await hermes("restore", file, "--yes")).stderr).toContain("was not restored");
    expect([asides(), await titles()]).toEqual([[], ["plan"]]);
  });
});

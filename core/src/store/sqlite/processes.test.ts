import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe } from "../../base/process-identity.ts";
import type { SessionId } from "../../model/session.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./index.ts";

const PROGRAM = fileURLToPath(new URL("test-process.mjs", import.meta.url));

interface Other {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** The process' next line of output; null at its end. */
  line(): Promise<string | null>;
}

let folder: string;
let file: string;
const others: Other[] = [];
const stores: Store[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes-store-"));
  file = join(folder, "hermes.db");
});

afterEach(async () => {
  for (const { child } of others.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
  }
  for (const store of stores.splice(0)) await store.close();
  await rm(folder, { recursive: true });
});

function start(task: "open" | "append" | "hold" | "write"): Other {
  const child = spawn(process.execPath, [PROGRAM, task, file], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const other: Other = {
    child,
    line: async () => {
      const next = await lines.next();
      return next.done ? null : next.value;
    },
  };
  others.push(other);
  return other;
}

async function openStore(clock: Clock = createVirtualClock(), pollMs = 500): Promise<Store> {
  const store = await openSqliteStore({ file, clock, ids: randomIds, probe: systemProcessProbe, pollMs });
  stores.push(store);
  return store;
}

test("a process that is killed while it writes loses no finished write", async () => {
  const writer = start("append");
  const id = (await writer.line()) as SessionId;
  let stored = 0;
  while (stored < 200) stored = Number(await writer.line());
  writer.child.kill("SIGKILL");
  for (let line = await writer.line(); line !== null; line = await writer.line()) stored = Number(line);

  const store = await openStore();
  const messages = await store.transcripts.read(id);
  // One more may be stored, which it had no time to report.
  expect(messages.length).toBeGreaterThanOrEqual(stored);
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
  expect(await store.sessions.get(id)).toMatchObject({ messageCount: messages.length });
  // What each message used is there with it; the first one is a person's.
  const requests = messages.length - 1;
  expect(await store.usage.sum({ session: id })).toMatchObject({ requests, cost: 7 * requests });
  // Its turn ended with the process, long before the lease expires.
  expect(await store.turns.running(id)).toBeNull();
});

test("processes that start together on a missing store all open the same one", async () => {
  const ids = await Promise.all([1, 2, 3, 4].map(() => start("open").line()));
  const store = await openStore();
  expect(await store.sessions.count()).toBe(4);
  for (const id of ids) expect(await store.sessions.get(id as SessionId)).not.toBeNull();
});

test("a write by another process wakes up listeners without a poll, at the first look", async () => {
  // Its timers never fire.
  const store = await openStore(createVirtualClock());
  for (let round = 1; round <= 4; round++) {
    const writer = start("write");
    expect(await writer.line()).toBe("ready");
    const woken = Promise.withResolvers<void>();
    using _watching = store.watch(async () => {
      if ((await store.sessions.count()) === round) woken.resolve();
    });
    writer.child.stdin.write("\n");
    await woken.promise;
    // The next round must notice its write although this process and its connection are gone by then.
    writer.child.stdin.end();
    await once(writer.child, "exit");
  }
});

test("a write by another process is noticed although the file they watch was removed", async () => {
  const clock = createVirtualClock();
  const store = await openStore(clock);
  const writer = start("write");
  expect(await writer.line()).toBe("ready");
  let wake = () => {};
  using _watching = store.watch(() => wake());
  await rm(`${file}-written`);
  // The next check makes and watches a new one; none comes after that.
  while (!existsSync(`${file}-written`)) await clock.advance(500);
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  writer.child.stdin.write("\n");
  await woken;
  expect(await store.sessions.count()).toBe(1);
  writer.child.stdin.end();
  await once(writer.child, "exit");
});

test("a file locked by another process delays nothing else, and the error names it", async () => {
  const clock = createVirtualClock();
  const store = await openStore(clock);
  const other = start("hold");
  const pid = await other.line();

  const before = performance.now();
  const writing = store.users.countRefused("pager", undefined);
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  // If the driver itself waited for the lock, this would take the full five seconds.
  expect(performance.now() - before).toBeLessThan(4000);
  const failed = expect(writing).rejects.toMatchObject({
    code: "STORE_BUSY",
    fields: { file, seconds: 5, holder: `the gateway with process id ${pid}` },
  });
  expect(await store.users.refused("pager", undefined)).toBe(0);
  await clock.advance(5000);
  await failed;
});

test("the error names the suspended process with the lock, and how to continue it", async () => {
  const clock = createVirtualClock();
  const store = await openStore(clock);
  const other = start("hold");
  const pid = Number(await other.line());
  process.kill(pid, "SIGSTOP");
  const holder = `the gateway with process id ${pid}, which is stopped (\`kill -CONT ${pid}\` resumes it)`;
  const failed = expect(store.users.countRefused("pager", undefined)).rejects.toMatchObject({ fields: { holder } });
  await clock.advance(5000);
  await failed;
});

test("writes that wait for a lock run in order once the file is free", async () => {
  const clock = createVirtualClock();
  const store = await openStore(clock);
  const { id } = await store.sessions.create({ user: "operator" as never, origin: "terminal", originChat: null });
  const other = start("hold");
  await other.line();
  const writes = ["one", "two", "three"].map((title) => store.sessions.setTitle(id, title));
  await clock.advance(100);
  other.child.stdin.write("\n");
  expect(await other.line()).toBe("free");
  await clock.advance(1000);
  expect(await Promise.all(writes)).toEqual(["one", "two", "three"]);
  expect(await store.sessions.get(id)).toMatchObject({ title: "three" });
});

test("a write that waits too long gives up, while later writes keep waiting", async () => {
  const clock = createVirtualClock();
  const store = await openStore(clock);
  const { id } = await store.sessions.create({ user: "operator" as never, origin: "terminal", originChat: null });
  const other = start("hold");
  await other.line();
  const first = expect(store.sessions.setTitle(id, "first")).rejects.toMatchObject({ code: "STORE_BUSY" });
  const second = store.sessions.setTitle(id, "second");
  await clock.advance(3000);
  const third = store.sessions.setTitle(id, "third");
  const secondFailed = expect(second).rejects.toMatchObject({ code: "STORE_BUSY" });
  await clock.advance(2000);
  await first;
  await secondFailed;
  other.child.stdin.write("\n");
  expect(await other.line()).toBe("free");
  await clock.advance(1000);
  expect(await third).toBe("third");
});

test("a write that was queued just before the store is closed is stored", async () => {
  const store = await openStore();
  const { id } = await store.sessions.create({ user: "operator" as never, origin: "terminal", originChat: null });
  const writing = store.sessions.setTitle(id, "the last word");
  await store.close();
  expect(await writing).toBe("the last word");
  expect(await (await openStore()).sessions.get(id)).toMatchObject({ title: "the last word" });
});

test("a call that waits for a lock fails with STORE_CLOSED when the store is closed", async () => {
  const store = await openStore();
  await start("hold").line();
  const failed = expect(store.users.countRefused("pager", undefined)).rejects.toMatchObject({ code: "STORE_CLOSED" });
  await store.close();
  await failed;
});

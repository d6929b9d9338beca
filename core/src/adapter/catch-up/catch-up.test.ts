import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, notingLogger, type VirtualClock } from "@hermes/testing";
import { Chats, killed as killedIn, settled } from "@hermes/testing/chats-with-history";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PlatformError } from "../../base/errors.ts";
import { CatchUp } from "./catch-up.ts";

let folder: string;
let clock: VirtualClock;
let chats: Chats;
let received: string[];
let kept: Set<string>;
let logged: string[];
let keep: (text: string) => Promise<void>;
let running: CatchUp;

function start(owner = "bot", more: { readonly mostWaiting?: number } = {}): CatchUp {
  running = new CatchUp({
    ...more,
    ...{ folder, clock, history: chats, logger: notingLogger(logged) },
    // As core does: the same message is taken once.
    async receive({ text, messageId }) {
      await keep(text);
      if (!kept.has(messageId)) received.push(text);
      kept.add(messageId);
    },
  });
  running.belongTo(owner);
  running.lost();
  running.connected();
  return running;
}

const killed = () => killedIn(running, folder);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-catch-up-"));
  clock = createVirtualClock();
  chats = new Chats();
  received = [];
  kept = new Set();
  logged = [];
  keep = async () => {};
});
afterEach(() => {
  running.stop();
  rmSync(folder, { recursive: true });
});

it("the first start ignores messages that were written before it", async () => {
  chats.write("one", "old");
  start();
  await running.take(chats.write("one", "new"));
  running.stop();
  start();
  await settled();
  expect(received).toEqual(["new"]);
});

it("a restart fetches missed messages once, in order", async () => {
  await start().take(chats.write("one", "before"));
  running.stop();
  for (const text of ["a", "b", "c"]) chats.write("one", text);
  start();
  await running.take(chats.write("one", "after"));
  running.stop();
  start();
  await settled();
  expect(received).toEqual(["before", "a", "b", "c", "after"]);
});

it("a restart fetches missed messages of chats it did not know", async () => {
  await start().take(chats.write("one", "before"));
  running.stop();
  chats.write("two", "hello");
  start();
  await settled();
  expect(received).toEqual(["before", "hello"]);
});

it("a thread's missed messages come after the message that began the thread", async () => {
  await start().take(chats.write("one", "before"));
  running.stop();
  chats.write("one", "root");
  chats.write("one/t", "answer");
  start();
  await running.take(chats.write("one/t", "live"));
  expect(received).toEqual(["before", "root", "answer", "live"]);
});

it("loses nothing of a message that was not kept when the process was killed", async () => {
  await start().take(chats.write("one", "before"));
  await clock.advance(500);
  keep = () => new Promise(() => {});
  void running.take(chats.write("one", "not kept"));
  void running.take(chats.write("new", "first words"));
  await settled();
  killed();
  keep = async () => {};
  start();
  await settled();
  expect(received.toSorted()).toEqual(["before", "first words", "not kept"]);
});

it("goes on where it was when it is killed in the middle of catching up", async () => {
  await start().take(chats.write("one", "before"));
  running.stop();
  for (const text of ["a", "b", "c"]) chats.write("one", text);
  keep = (text) => (text === "b" ? new Promise(() => {}) : Promise.resolve());
  start();
  await settled();
  await clock.advance(500);
  killed();
  keep = async () => {};
  start();
  await settled();
  expect(received).toEqual(["before", "a", "b", "c"]);
});

it("offers a message again that could not be kept, before those behind it", async () => {
  let failures = 1;
  keep = async () => {
    if (failures-- > 0) throw new Error("the store is busy");
  };
  start();
  const both = [running.take(chats.write("one", "a")), running.take(chats.write("one", "b"))];
  await settled();
  expect(received).toEqual([]);
  await clock.advance(1_000);
  await Promise.all(both);
  expect(received).toEqual(["a", "b"]);
});

it("asks again for a history that was refused, no sooner than the platform permits", async () => {
  await start().take(chats.write("one", "before"));
  running.stop();
  chats.write("one", "missed");
  const platform = "test";
  chats.failures.push(
    new PlatformError("PLATFORM_UNAVAILABLE", { platform, reason: "it broke" }),
    new PlatformError("PLATFORM_RATE_LIMITED", { platform, seconds: 60 }, { retryAfterMs: 60_000 }),
  );
  start();
  const live = running.take(chats.write("one", "after"));
  await settled();
  await clock.advance(1_000);
  await settled();
  await clock.advance(59_000);
  await settled();
  expect(received).toEqual(["before"]);
  await clock.advance(1_000);
  await live;
  expect(received).toEqual(["before", "missed", "after"]);
});

it("lets new messages pass a history that takes minutes, and loses none of it", async () => {
  await start().take(chats.write("one", "before"));
  running.stop();
  chats.write("one", "missed");
  const wait = { retryAfterMs: 10 * 60_000 };
  chats.failures.push(new PlatformError("PLATFORM_RATE_LIMITED", { platform: "test", seconds: 600 }, wait));
  start();
  const live = running.take(chats.write("one", "after"));
  await settled();
  await clock.advance(5 * 60_000);
  await live;
  expect(received).toEqual(["before", "after"]);
  await clock.advance(5 * 60_000);
  await settled();
  expect(received).toEqual(["before", "after", "missed"]);
});

it("takes, after a kill, only the message that a later one had overtaken", async () => {
  await start().take(chats.write("one", "before"));
  chats.write("one", "overtaken");
  await running.take(chats.write("one", "later"));
  await clock.advance(10_000);
  killed();
  const offered: string[] = [];
  keep = async (text) => void offered.push(text);
  start();
  await settled();
  expect(received).toEqual(["before", "later", "overtaken"]);
  expect(offered).toEqual(["overtaken"]);
});

it("reads nothing again of what was written more than a minute before the break", async () => {
  await start().take(chats.write("one", "before"));
  const late = chats.write("one", "never told");
  await running.take(chats.write("one", "later"));
  await clock.advance(120_000);
  killed();
  start();
  await settled();
  expect(received).toEqual(["before", "later"]);
  await running.take(late);
  expect(received).toEqual(["before", "later", "never told"]);
});

it("counts no time in which nothing came in when it decides what is read again", async () => {
  await start().take(chats.write("one", "before"));
  chats.write("one", "overtaken");
  await running.take(chats.write("one", "later"));
  running.lost();
  await clock.advance(600_000);
  running.connected();
  await settled();
  expect(received).toEqual(["before", "later", "overtaken"]);
});

it("goes on without a history that the platform refuses, and says so", async () => {
  await start().take(chats.write("one", "before"));
  running.stop();
  chats.write("one", "missed");
  const fields = { platform: "test", reason: "the app lacks a scope", hint: "Add it." };
  chats.failures.push(new PlatformError("PLATFORM_FORBIDDEN", fields));
  start();
  await running.take(chats.write("one", "after"));
  expect(received).toEqual(["before", "after"]);
  expect(logged.join()).toContain("the app lacks a scope");
});

it("an edit of an old message does not make its chat's history count as new", async () => {
  chats.write("one", "old");
  const edited = chats.write("one", "also old");
  start();
  await running.takeBeside(edited);
  running.stop();
  start();
  await settled();
  expect(received).toEqual(["also old"]);
});

it("a full disk delays the cursors, not the messages", async () => {
  start();
  // As a disk that is full: no draft of the file can be written.
  mkdirSync(join(folder, `cursors.json.${process.pid}.new`));
  await running.take(chats.write("one", "a"));
  await clock.advance(1_000);
  expect(received).toEqual(["a"]);
  rmdirSync(join(folder, `cursors.json.${process.pid}.new`));
  await clock.advance(1_000);
  chats.write("one", "b");
  killed();
  start();
  await settled();
  expect(received).toEqual(["a", "b"]);
  expect(logged.join()).toContain("could not be written down");
});

it("begins anew with another account", async () => {
  await start().take(chats.write("one", "before"));
  running.stop();
  chats.write("one", "to the other");
  start("another bot");
  await settled();
  expect(received).toEqual(["before"]);
});

it("reads what an earlier version wrote, and begins anew where it cannot be read", async () => {
  const known = chats.write("one", "before");
  chats.write("one", "missed");
  writeFileSync(join(folder, "cursors.json"), JSON.stringify([["one", known.id]]));
  start();
  await settled();
  expect(received).toEqual(["missed"]);
  running.stop();
  expect(readFileSync(join(folder, "cursors.json"), "utf8")).toContain('"owner":"bot"');
  writeFileSync(join(folder, "cursors.json"), "{");
  start();
  await settled();
  expect(received).toEqual(["missed"]);
});

it("leaves messages beyond the bound to the history, and takes each in order", async () => {
  start("bot", { mostWaiting: 2 });
  const free = Promise.withResolvers<void>();
  keep = () => free.promise;
  const waiting = [running.take(chats.write("one", "a")), running.take(chats.write("one", "b"))];
  // The first of them shows whether the history can be read.
  waiting.push(running.take(chats.write("one", "c")));
  await settled();
  for (const text of ["d", "e", "f"]) await running.take(chats.write("one", text));
  expect(received).toEqual([]);
  free.resolve();
  await Promise.all(waiting);
  await running.take(chats.write("one", "g"));
  await settled();
  expect(received).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
});

it("a message that was left to the history is fetched after a kill", async () => {
  start("bot", { mostWaiting: 1 });
  keep = () => new Promise(() => {});
  void running.take(chats.write("one", "a"));
  void running.take(chats.write("one", "b"));
  await settled();
  await running.take(chats.write("one", "c"));
  killed();
  keep = async () => {};
  start();
  await settled();
  expect(received).toEqual(["a", "b", "c"]);
});

it("leaves nothing to a history that the platform refuses", async () => {
  start("bot", { mostWaiting: 1 });
  const free = Promise.withResolvers<void>();
  keep = () => free.promise;
  const fields = { platform: "test", reason: "the app lacks a scope", hint: "Add it." };
  chats.failures.push(new PlatformError("PLATFORM_FORBIDDEN", fields));
  const waiting = ["a", "b"].map((text) => running.take(chats.write("one", text)));
  await settled();
  waiting.push(running.take(chats.write("one", "c")));
  await settled();
  free.resolve();
  await Promise.all(waiting);
  expect(received).toEqual(["a", "b", "c"]);
  expect(chats.asked).toEqual(["one"]);
});

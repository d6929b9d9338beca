import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, notingLogger, type VirtualClock } from "@hermes/testing";
import { Chats, killed, settled } from "@hermes/testing/chats-with-history";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PlatformError } from "../../base/errors.ts";
import { CatchUp } from "./catch-up.ts";

let folder: string;
let clock: VirtualClock;
let chats: Chats;
let received: Set<string>;
let running: CatchUp;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-catch-up-"));
  clock = createVirtualClock();
  chats = new Chats();
  received = new Set();
});
afterEach(() => {
  running.stop();
  rmSync(folder, { recursive: true });
});

function start(): CatchUp {
  running = new CatchUp({
    ...{ folder, clock, history: chats, logger: notingLogger([]) },
    receive: async ({ text }) => void received.add(text),
  });
  running.belongTo("bot");
  running.lost();
  running.connected();
  return running;
}

it("asks again for a history when the platform gave no answer", async () => {
  await start().take(chats.write("one", "before"));
  running.stop();
  chats.write("one", "missed");
  const fields = { platform: "test", reason: "it did not answer in time" };
  chats.failures.push(new PlatformError("PLATFORM_UNCERTAIN", fields));
  start();
  const live = running.take(chats.write("one", "after"));
  await settled();
  await clock.advance(1_000);
  await live;
  expect([...received]).toEqual(["before", "missed", "after"]);
});

it("keeps an unreadable message waiting as long as the platform is unreachable", async () => {
  start();
  const entry = chats.write("one", "patience");
  let failures = 8;
  const decode = async () => {
    if (failures-- > 0) throw new PlatformError("PLATFORM_UNAVAILABLE", { platform: "test", reason: "it is down" });
    return entry.decode();
  };
  const taken = running.take({ ...entry, decode });
  for (let tries = 0; tries < 8; tries++) {
    await settled();
    await clock.advance(30_000);
  }
  await taken;
  expect([...received]).toEqual(["patience"]);
});

it("backfills a place where it spoke before the platform had told of that place", async () => {
  await start().take(chats.write("one", "before"));
  running.stop();
  chats.write("two", "missed");
  const told = Promise.withResolvers<void>();
  const { lanes } = chats;
  chats.lanes = (horizon) => told.promise.then(() => lanes(horizon));
  start();
  running.follow("two");
  told.resolve();
  await settled();
  expect([...received]).toEqual(["before", "missed"]);
});

it("a restart fetches messages of a thread opened just before a kill", async () => {
  chats.lanes = async () => [];
  await start().take(chats.write("one", "before"));
  running.follow("thread");
  killed(running, folder);
  chats.write("thread", "first words");
  start();
  await settled();
  expect([...received]).toEqual(["before", "first words"]);
});

it("a gateway that stood still does not overwrite its successor's cursors", async () => {
  chats.lanes = async () => [];
  await start().take(chats.write("one", "before"));
  const stoodStill = running;
  await clock.advance(20_000);
  await start().take(chats.write("two", "to the other"));
  await stoodStill.take(chats.write("one", "to the first"));
  stoodStill.stop();
  killed(running, folder);
  chats.write("two", "missed");
  start();
  await settled();
  expect([...received]).toEqual(["before", "to the other", "to the first", "missed"]);
});

import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { SessionId } from "../../model/session.ts";
import type { View } from "../../model/view.ts";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

/** The views of a session, as soon as they are as wanted. */
async function views(id: SessionId, isWanted: (views: readonly View[]) => boolean): Promise<void> {
  const { store } = bench.host;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = async () => {
    if (isWanted(await store.views.of(id))) resolve();
  };
  using _watch = store.watch(() => void look());
  await look();
  await promise;
}

test("a chat has its session open until it is left, and says when a key was last typed", async () => {
  const { id } = await bench.begin("plan");
  const chat = bench.start(["resume", "plan"], { interactive: true });
  await views(id, ({ length }) => length === 1);
  await clock.advance(29_000);
  expect(await bench.host.store.views.of(id)).toMatchObject([{ surface: "terminal", restedMs: 29_000 }]);
  await clock.advance(31_000);
  chat.press("h");
  await views(id, ([view]) => view?.restedMs === 0);
  // A key soon after that is told with the next renewal.
  await clock.advance(20_000);
  chat.press("i");
  await chat.printed("hi");
  await clock.advance(10_000);
  await views(id, ([view]) => view?.restedMs === 10_000);
  chat.press("\x15");
  chat.end();
  expect(await chat.ended).toBe(0);
  expect(await bench.host.store.views.of(id)).toEqual([]);
});

test("a chat that turns to another session has that one open", async () => {
  const [plan, trip] = [await bench.begin("plan"), await bench.begin("trip")];
  const chat = bench.start(["resume", "plan"], { interactive: true });
  await views(plan.id, ({ length }) => length === 1);
  chat.type("/resume trip");
  await views(trip.id, ({ length }) => length === 1);
  expect(await bench.host.store.views.of(plan.id)).toEqual([]);
  chat.type("/new");
  await views(trip.id, ({ length }) => length === 0);
  bench.model.push("ok");
  chat.type("to sea");
  await chat.printed("ok");
  const [begun] = await bench.host.store.sessions.find("to sea", { kind: "all" });
  await views(begun?.id ?? ("" as SessionId), ({ length }) => length === 1);
  chat.end();
  await chat.ended;
});

test("/status says where else a session is open", async () => {
  const { id } = await bench.begin("plan");
  const left = bench.start(["resume", "plan"], { interactive: true });
  await views(id, ({ length }) => length === 1);
  await clock.advance(20_000);
  const right = bench.start(["resume", "plan"], { interactive: true });
  await views(id, ({ length }) => length === 2);
  right.type("/status");
  const line = `open in another terminal (pid ${process.pid}), last used 20 s ago`;
  await expect.poll(() => right.stdout().split(line).length).toBe(2);
  left.end();
  right.end();
  await Promise.all([left.ended, right.ended]);
});

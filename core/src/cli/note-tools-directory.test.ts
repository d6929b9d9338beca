import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { expect, test } from "vitest";
import type { SessionKey } from "../adapter/session-key.ts";
import type { UserId } from "../model/session.ts";
import { createTestBench } from "./test-bench.ts";

test("once a session has begun on a platform, it is said once that it has no tools", async () => {
  const clock = createVirtualClock();
  await using bench = await createTestBench({ clock, model: scriptedModel([], { clock }), hasPager: true });
  const chat = async () => {
    const terminal = bench.start([], { interactive: true });
    terminal.type("/quit");
    expect(await terminal.ended).toBe(0);
    return `${terminal.stdout()}${terminal.stderr()}`;
  };
  expect(await chat()).not.toContain("no tools");
  const key = "pager:7" as SessionKey;
  await bench.host.store.sessions.create({ title: "x", user: "pager:7" as UserId, origin: key, originChat: key });
  expect(await chat()).toContain("In sessions that began on a platform, the agent has no tools");
  expect(await chat()).not.toContain("no tools");
});

import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { expect, it } from "vitest";
import type { AdapterHealth } from "../../adapter/capabilities.ts";
import { createTestBench } from "../test-bench.ts";

const UP: AdapterHealth = { state: "up" };
const DOWN: AdapterHealth = { state: "down", detail: "no route" };

it.each([
  ["no gateway runs", null, 1],
  ["a gateway reaches one of its platforms", [DOWN, UP], 0],
  ["a gateway reaches none of its platforms", [DOWN, DOWN], 1],
] as const)("hermes status --healthy tells by its exit code that %s", async (_what, states, code) => {
  const clock = createVirtualClock();
  await using bench = await createTestBench({ clock, model: scriptedModel([], { clock }) });
  const { holder, store } = bench.host;
  if (states !== null) {
    const platforms = states.map((health, index) => ({
      ...{ platform: `pager-${index}`, health, standby: false, takesHandoffs: true, home: null },
    }));
    await store.gateways.heartbeat({ id: "gw", holder, startedAt: clock.now(), configPath: null, platforms });
  }
  expect((await bench.hermes("status", "--healthy")).code).toBe(code);
  expect((await bench.hermes("status")).code).toBe(0);
  if (states === null) return;
  // A gateway that says nothing any more hangs.
  await clock.advance(60_000);
  expect((await bench.hermes("status", "--healthy")).code).toBe(1);
});

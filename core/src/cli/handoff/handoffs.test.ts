import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scriptedModel } from "../../testing/scripted-model.ts";
import { createVirtualClock } from "../../testing/virtual-clock.ts";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ hasPager: true, clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

describe("hermes handoffs", () => {
  test("lists, shows and cancels one that waits", async () => {
    const session = await bench.begin("plan");
    const { id } = await bench.requestHandoff(session.id);
    const document = { handoffId: id, sessionId: session.id, platform: "pager", state: "pending", step: null };
    expect((await bench.hermes("handoffs", "--json")).json().handoffs).toEqual([
      { ...document, link: null, error: null, requestedAt: expect.any(Number) },
    ]);
    expect((await bench.hermes("handoffs")).stdout).toContain("plan → pager: pending, just now");
    expect((await bench.hermes("handoffs", "show", id)).stdout).toContain("plan → pager: pending");
    const cancelled = await bench.hermes("handoffs", "cancel", id, "--json");
    expect(cancelled.json()).toMatchObject({ handoffId: id, state: "failed" });
    const again = await bench.hermes("handoffs", "cancel", id, "--json");
    expect(again.json()).toMatchObject({ error: { code: "HANDOFF_NOT_CANCELLABLE" } });
  });

  test("without a gateway a handoff is refused at once, and nothing is written", async () => {
    const session = await bench.begin("plan");
    const { code, json } = await bench.hermes("handoff", "pager", "--session", "plan", "--json");
    expect(code).toBe(1);
    expect(json()).toMatchObject({ error: { code: "HANDOFF_NO_GATEWAY" } });
    expect(await bench.host.store.handoffs.getHandoffState(session.id)).toBeNull();
  });
});

import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { UserId } from "../../model/session.ts";
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
    expect((await bench.hermes("handoffs", "--json")).json().handoffs).toMatchObject([
      { ...document, conversation: null, place: null, link: null, error: null, requestedAt: expect.any(Number) },
    ]);
    expect((await bench.hermes("handoffs")).stdout).toContain("plan → pager: pending, just now");
    const { stdout } = await bench.hermes("handoffs", "show", id);
    expect(stdout).toContain("plan → pager: pending");
    expect(stdout).toContain("The way of this session:\n  terminal → pager  just now  pending\n");
    const cancelled = await bench.hermes("handoffs", "cancel", id, "--json");
    expect(cancelled.json()).toMatchObject({ handoffId: id, state: "failed" });
    const again = await bench.hermes("handoffs", "cancel", id, "--json");
    expect(again.json()).toMatchObject({ error: { code: "HANDOFF_ENDED" } });
    expect((await bench.hermes("handoffs", "cancel", id)).stderr).not.toContain("Wait for it");
  });

  test("a title of two people's sessions names neither's handoff, but an id does", async () => {
    const own = await bench.begin("plan");
    const hers = await bench.begin("plan", "pager:ada" as UserId);
    for (const { id } of [own, hers]) await bench.requestHandoff(id);
    await bench.host.store.users.note("pager:ada" as UserId, "Ada");
    const shown = async (reference: string) => (await bench.hermes("handoffs", "show", reference, "--json")).json();
    const { code, message } = (await shown("plan")).error;
    expect(code).toBe("HANDOFF_AMBIGUOUS");
    expect(message).toContain(`plan (${own.id}, begun by operator)`);
    expect(message).toContain(`plan (${hers.id}, begun by Ada)`);
    expect(await shown(hers.id)).toMatchObject({ sessionId: hers.id });
  });

  test("cannot cancel one that a gateway has taken", async () => {
    const { id } = await bench.requestHandoff((await bench.begin("plan")).id);
    await bench.host.store.handoffs.claimHandoff(id, bench.host.holder, 15_000);
    const { stderr } = await bench.hermes("handoffs", "cancel", id);
    expect(stderr).toMatch(/so it can no longer be cancelled\.\nWait for it to end/);
  });

  test("hermes handoffs show finds a handoff by number or title, or lists candidates", async () => {
    const rome = await bench.begin("trip to Rome");
    // Sessions are listed by when they were used last.
    await bench.clock.advance(1_000);
    const oslo = await bench.begin("trip to Oslo");
    await bench.begin("trip to nowhere");
    const first = await bench.requestHandoff(rome.id);
    await bench.clock.advance(1_000);
    const second = await bench.requestHandoff(oslo.id);
    expect((await bench.hermes("handoffs")).stdout).toMatch(/ {2}1 {2}trip to Oslo.*\n {2}2 {2}trip to Rome/);
    const shown = async (reference: string) => (await bench.hermes("handoffs", "show", reference, "--json")).json();
    expect(await shown("2")).toMatchObject({ handoffId: first.id });
    expect(await shown("Oslo")).toMatchObject({ handoffId: second.id });
    expect(await shown("trip")).toEqual({
      error: {
        code: "HANDOFF_AMBIGUOUS",
        message: `trip matches the handoffs of 2 sessions: trip to Oslo (${oslo.id}), trip to Rome (${rome.id}).`,
        hint: expect.stringContaining("number"),
      },
    });
    expect(await shown("nowhere")).toMatchObject({ error: { code: "HANDOFF_UNKNOWN" } });
    expect((await bench.hermes("handoffs", "cancel", "trip to Rome", "--json")).json()).toMatchObject({
      handoffId: first.id,
      state: "failed",
    });
    // Its number stays the same in the list of those in flight.
    await bench.requestHandoff(rome.id);
    await bench.hermes("handoffs", "cancel", "1");
    expect((await bench.hermes("handoffs", "--in-flight")).stdout).toMatch(/^ {2}2 {2}trip to Oslo/);
    const numbered = await bench.begin("2");
    await bench.requestHandoff(numbered.id);
    expect(await shown("2")).toMatchObject({
      error: { message: expect.stringContaining("2 matches the handoffs of 2 sessions") },
    });
  });

  test("terminal escapes in a platform's error are not printed", async () => {
    const { store, holder } = bench.host;
    const words = "wiped \u009b2J and a bell \u0007";
    const session = await bench.begin("plan");
    const { id } = await bench.requestHandoff(session.id);
    await store.handoffs.claimHandoff(id, holder, 15_000);
    const conversation = { platform: "pager", chatId: "7", kind: "dm" } as const;
    await store.handoffs.advanceHandoff(id, holder, "threaded", { conversation, link: `x:${words}`, warning: words });
    await store.handoffs.failHandoff(id, holder, { code: "PLATFORM_UNAVAILABLE", text: words });
    const home = { chatId: words, kind: "dm", key: buildSessionKey(conversation) } as const;
    const health = { state: "down", detail: words, address: words } as const;
    const served = { platform: "pager", health, standby: false, takesHandoffs: true, home } as const;
    await store.gateways.heartbeat({
      ...{ id: "gw_1", holder, startedAt: clock.now(), configPath: null },
      platforms: [served],
    });
    for (const argv of [["handoffs"], ["handoffs", "show", id], ["status"], ["plugins"]]) {
      const { stdout } = await bench.hermes(...argv);
      expect(stdout).toContain("wiped \ufffd2J and a bell \u2407");
      expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
    }
  });

  test("a handoff without a gateway is refused at once, and nothing is stored", async () => {
    const session = await bench.begin("plan");
    const { code, json } = await bench.hermes("handoff", "pager", "--session", "plan", "--json");
    expect(code).toBe(1);
    expect(json()).toEqual({
      ...{
        handoffId: null,
        sessionId: session.id,
        platform: "pager",
        state: null,
        step: null,
        link: null,
        conversation: null,
        place: null,
      },
      error: {
        code: "HANDOFF_NO_GATEWAY",
        message: "No gateway is running, so the session cannot be handed off to pager.",
        hint: "Start one: `hermes gateway --detach`.",
      },
    });
    expect(await bench.host.store.handoffs.latestOf(session.id)).toBeNull();
  });
});

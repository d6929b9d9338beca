import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { PlatformError } from "../base/errors.ts";
import { requestHandoff } from "../handoff/request-handoff.ts";
import { homeOf } from "../model/place.ts";

afterEach(disposeMachines);

function noRoute(): PlatformError {
  return new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "no route" });
}

describe("a handoff", () => {
  it("the standby gateway carries the handoff out after a failed first connection", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    const host = await terminal();
    const sessionId = await terminalSession(host);
    const serving = await gateway();
    await gateway();
    serving.die();
    platform.listening.clear();
    platform.fail("start", noRoute());
    platform.fail("homeConversation", noRoute());
    const outcome = requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback") }).then(
      ({ handoff }) => handoff.state,
      (error: unknown) => error,
    );
    const health = async () => (await host.store.gateways.alive()).at(-1)?.platforms[0]?.health.detail;
    await until(async () => /^loopback cannot be reached/.test((await health()) ?? ""));
    await until(async () => /^The home channel cannot be reached/.test((await health()) ?? ""));
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    expect(await outcome).toBe("pending");
  });

  it("a terminal that was stopped repeats no handoff that another one has made", async () => {
    const { platform, gateway, terminal, until, clock } = machine({}, ["The plan is X.", "We stand at X."]);
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await gateway();
    const to = homeOf("loopback");
    const completed = async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed";
    const stopped = Object.create(host.store.handoffs) as typeof host.store.handoffs;
    stopped.requestHandoff = async (...request) => {
      await requestHandoff({ store: host.store, clock }, { sessionId, to, from: "terminal" });
      await until(completed);
      return host.store.handoffs.requestHandoff(...request);
    };
    const store = Object.create(host.store, { handoffs: { value: stopped } }) as typeof host.store;
    await expect(requestHandoff({ store, clock }, { sessionId, to, from: "terminal" })).rejects.toMatchObject({
      code: "HANDOFF_ALREADY_THERE",
    });
    expect(platform.threads).toHaveLength(1);
  });

  it("waits for a home channel that could not be reached when the gateway started", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    const host = await terminal();
    const sessionId = await terminalSession(host);
    platform.fail("homeConversation", noRoute());
    const { gateway: served } = await gateway();
    expect(served.describe()[0]?.health.detail).toContain("no route");
    const request = requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback") });
    const outcome = request.then(({ handoff }) => handoff.state);
    // Whoever writes there meanwhile is no stranger.
    await platform.write("Are you there?");
    await until(() => platform.textsIn("home").length === 1);
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    expect(await outcome).toBe("pending");
  });

  it("a refused handoff says why the home channel is unreachable", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    const host = await terminal();
    const sessionId = await terminalSession(host);
    platform.fail("homeConversation", noRoute(), 9);
    const first = await gateway();
    const ask = (ttlMs?: number) =>
      requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), ttlMs }).catch(
        (error) => error,
      );
    const refusal = { code: "HANDOFF_PLATFORM_UNHEALTHY", message: expect.stringMatching(/no route[^.]*\.$/) };
    let said: unknown = null;
    void ask(2_000).then((error) => (said = error));
    expect(said).toBeNull();
    await clock.advance(2_000);
    await until(() => said !== null);
    expect(said).toMatchObject(refusal);
    // It has been unreachable for longer than anybody is to wait.
    await clock.advance(15_000);
    await until(async () => (await host.store.gateways.alive())[0]?.platforms[0]?.isRecovering === false);
    expect(await ask()).toMatchObject(refusal);
    expect(await host.store.handoffs.latestOf(sessionId)).toBeNull();
    await first.end();

    const muted = new PlatformError("PLATFORM_FORBIDDEN", { platform: "loopback", reason: "no member", hint: "Join." });
    const other = machine();
    other.platform.fail("homeConversation", muted);
    const terminalThere = await other.terminal();
    const there = await terminalSession(terminalThere);
    await other.gateway();
    const request = requestHandoff(
      { store: terminalThere.store, clock: other.clock },
      { sessionId: there, to: homeOf("loopback") },
    );
    await expect(request).rejects.toMatchObject({ code: "HANDOFF_PLATFORM_UNHEALTHY" });
  });

  it("a claimed handoff waits, within its time, for an unreachable platform", async () => {
    const { platform, gateway, terminal, until, clock } = machine();
    const host = await terminal();
    const sessionId = await terminalSession(host);
    await gateway();
    platform.fail("homeConversation", noRoute(), 3);
    await requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback") });
    await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
    expect(platform.threads).toHaveLength(1);

    const second = await terminalSession(host);
    platform.fail("homeConversation", noRoute(), 99);
    const from = clock.now();
    await requestHandoff({ store: host.store, clock }, { sessionId: second, to: homeOf("loopback"), ttlMs: 20_000 });
    const state = async () => (await host.store.handoffs.latestOf(second))?.state;
    while ((await state()) !== "failed" && clock.now() - from < 30_000) {
      await clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(clock.now() - from).toBeGreaterThan(10_000);
    expect(clock.now() - from).toBeLessThanOrEqual(20_500);
    expect((await host.store.handoffs.latestOf(second))?.error?.text).toContain("no route");
  });
});

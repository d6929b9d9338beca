import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import type { Host } from "../host/host.ts";
import { homeOf } from "../model/place.ts";
import { OPERATOR, type SessionId } from "../model/session.ts";

afterEach(disposeMachines);

const REST_MS = 10_000;

/** A session that is to go to the loopback platform, and a terminal that has it open. */
async function away(made: ReturnType<typeof machine>) {
  const host = await made.terminal();
  const sessionId = await terminalSession(host);
  await made.clock.advance(10);
  await host.store.away.set(sessionId, { to: homeOf("loopback"), restMs: REST_MS, by: OPERATOR });
  const { holder } = host;
  const typed = () =>
    host.store.views.keep({ sessionId, holder, surface: "terminal", restedMs: 0, leaseMs: 10 * REST_MS });
  await typed();
  const say = async (text: string) => {
    await made.clock.advance(10);
    await ask(host, sessionId, text);
  };
  const isThere = async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed";
  return { host, sessionId, typed, say, isThere };
}

function ask({ runner }: Host, sessionId: SessionId, text: string) {
  return runner.run({
    ...{ sessionId, cause: { kind: "terminal" }, surface: "terminal", tools: true },
    message: { role: "user", text },
  });
}

describe("a session that goes by itself", () => {
  it("arrives once its terminal has rested for its time, and says why it came", async () => {
    const made = machine({}, ["The plan.", "It is done.", "All is done."]);
    const { host, sessionId, say, isThere } = await away(made);
    await made.gateway();
    await say("Do it");
    await made.clock.advance(REST_MS - 1_000);
    expect(await host.store.handoffs.latestOf(sessionId)).toBeNull();
    await made.clock.advance(6_000);
    await made.until(isThere);
    const [notice, , answer] = made.platform.textsIn("home", made.platform.threads[0]?.id);
    expect(notice).toBe("You were away: this session was in the terminal; it goes on here.");
    expect(answer).toBe("All is done.");
    expect(await host.store.away.get(sessionId)).toBeNull();
  });

  it("goes at once when its terminal is closed, and once where two gateways could", async () => {
    const made = machine({}, ["The plan.", "It is done."]);
    const { host, sessionId, say, isThere } = await away(made);
    await made.gateway();
    await made.gateway();
    await host.store.views.close(host.holder);
    await say("Do it");
    await made.until(isThere);
    expect(await host.store.handoffs.list({ sessionId, limit: 5 })).toHaveLength(1);
    expect(made.platform.threads).toHaveLength(1);
  });

  it("goes when a gateway is there again, if the one before was killed", async () => {
    const made = machine({}, ["The plan.", "It is done."]);
    const { host, sessionId, say, isThere } = await away(made);
    const first = await made.gateway();
    first.die();
    made.platform.listening.clear();
    await host.store.views.close(host.holder);
    await say("Do it");
    expect(await host.store.handoffs.latestOf(sessionId)).toBeNull();
    await made.gateway();
    await made.until(isThere);
    expect(await host.store.handoffs.list({ sessionId, limit: 5 })).toHaveLength(1);
  });

  it("stays where its home channel is shared by then and nobody has said so", async () => {
    const made = machine({ homeChannel: { chatId: "team", name: "Team" } }, ["The plan.", "It is done."]);
    const { host, sessionId, say } = await away(made);
    await made.gateway();
    await host.store.views.close(host.holder);
    await say("Do it");
    await made.until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "failed");
    expect(made.platform.messages).toEqual([]);
  });

  it("stays when the config no longer says that others may read the place", async () => {
    const made = machine({}, ["The plan.", "It is done."]);
    const { host, sessionId, say } = await away(made);
    const conversation = { platform: "loopback", chatId: "team", kind: "group" } as const;
    const scope = { platform: "loopback", account: undefined };
    const key = buildSessionKey(conversation);
    const to = { kind: "conversation", ...scope, key, conversation, name: "Team" } as const;
    await host.store.away.set(sessionId, { to, restMs: REST_MS, by: OPERATOR });
    await made.gateway();
    await host.store.places.configured(scope, [{ key, conversation, called: "team", shared: false }]);
    await host.store.views.close(host.holder);
    await say("Do it");
    await made.until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "failed");
    expect((await host.store.handoffs.latestOf(sessionId))?.error?.code).toBe("CONFIG_PLACE_NOT_SHARED");
    const told = { sessionId, error: { text: expect.stringContaining("Set `shared: true` on it") as string } };
    expect(await host.store.handoffs.offeredToTerminal()).toMatchObject([told]);
    expect(made.platform.messages).toEqual([]);
  });
});

import { gate } from "@hermes/testing";
import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, expect, test } from "vitest";
import { requestHandoff } from "../handoff/request-handoff.ts";
import { homeOf } from "../model/place.ts";

afterEach(disposeMachines);

test.each(["is killed", "leaves"] as const)(
  "a question older than a handoff is answered before it if the gateway %s",
  async (end) => {
    const held = gate();
    const script = ["The plan.", [{ hold: held }, { say: "Never." }], "It is two.", "We stand at the plan."];
    const { platform, gateway, terminal, until, clock } = machine({}, script);
    platform.capabilities = { ...platform.capabilities, threads: false };
    const { store, ...host } = await terminal();
    const sessionId = await terminalSession({ ...host, store });
    const first = await gateway();
    await platform.write("How many?");
    await held.reached;
    await requestHandoff({ store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await store.handoffs.latestOf(sessionId))?.step === "threaded");
    if (end === "is killed") {
      first.die();
      platform.listening.clear();
    } else {
      let isOver = false;
      void first.end().then(() => {
        isOver = true;
      });
      await until(() => isOver);
    }
    await gateway();
    await until(async () => (await store.handoffs.latestOf(sessionId))?.state === "completed");
    const [_offer, answer, notice, ...others] = platform.textsIn("home");
    expect(answer).toBe("It is two.");
    expect(notice).toContain("goes on here");
    expect(others.at(-1)).toBe("We stand at the plan.");
    expect(others.join("\n")).not.toContain("Hermes stopped");
  },
);

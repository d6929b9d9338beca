import { expect, it } from "vitest";
import { runSaga } from "../matrix/saga.ts";
import { SagaMachine } from "../matrix/saga-machine.ts";

const POINT = { phase: "carries", point: { call: "intendThread", when: "after" }, signal: "SIGSTOP" } as const;

it.each(["telegram", "discord", "slack", "matrix"])(
  "a gateway stopped before it opened a thread opens no second one on %s",
  async (platform) => {
    await using machine = await SagaMachine.begin(platform);
    expect(machine.place.hasThreads).toBe(true);
    // A second thread would be taken away again, if that were possible.
    machine.place.fail({ operation: "deleteThread", times: 1_000, kind: { is: "hang" } });
    // Another one takes the handoff over and carries it to its end; then the stopped one goes on.
    const { verdict, counts, why } = await runSaga(machine, { platform, ...POINT, name: platform });
    expect([verdict, counts.thread], why).toEqual(["once", 1]);
  },
);

import { createVirtualClock, gate, notingLogger, type VirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AdapterHealth } from "./capabilities.ts";
import { platformErrors } from "./platform-errors.ts";
import { ReceiveLoop, type ReceiveLoopParts, type ReceiveRound } from "./receive-loop.ts";

const { unavailable, unauthorised, rateLimited } = platformErrors("pager");

let clock: VirtualClock;
let rounds: ReceiveRound[];
let healths: AdapterHealth[];
let outcomes: (Error | null)[];
let loop: ReceiveLoop;
beforeEach(() => {
  clock = createVirtualClock();
  rounds = [];
  healths = [];
  outcomes = [];
  make();
});
afterEach(() => loop.stop());

/** A loop whose rounds end with what is in `outcomes`, one after the other, and then wait until it is stopped. */
function make(more: Partial<ReceiveLoopParts> = {}): void {
  loop = new ReceiveLoop({
    clock,
    logger: notingLogger([]),
    toPlatformError: (thrown) =>
      (thrown as Error).name === "PlatformError" ? (thrown as never) : unavailable(String(thrown)),
    onHealth: (health) => healths.push(health),
    async receive(round) {
      rounds.push(round);
      const outcome = outcomes.shift();
      if (outcome) throw outcome;
      round.received();
      if (outcome === undefined) await new Promise((done) => round.signal.addEventListener("abort", done));
    },
    ...more,
  });
}

/** Lets the event loop turn. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

/** Starts the loop, and turns the clock until so many rounds have begun; returns the pauses before each, in seconds. */
async function pauses(count: number): Promise<number[]> {
  void loop.start().catch(() => {});
  const begun: number[] = [];
  for (let seconds = 0; begun.length < count && seconds < 1_000; seconds++) {
    await clock.advance(seconds === 0 ? 0 : 1_000);
    await turns(6);
    while (begun.length < rounds.length) begun.push(clock.now() / 1_000);
  }
  return begun.slice(1).map((at, index) => at - (begun[index] ?? 0));
}

describe("ReceiveLoop", () => {
  it("starts when the first round has received, and goes on without a pause", async () => {
    outcomes = [null, null];
    await loop.start();
    await turns(6);
    expect(rounds.map(({ isFirst }) => isFirst)).toEqual([true, false, false]);
    expect(healths.at(-1)).toEqual({ state: "up" });
  });

  it("asks for more once the turn has begun of what it received", async () => {
    outcomes = [null];
    const asked: number[] = [];
    await loop.start();
    // A turn is written in the next turn of the event loop.
    setImmediate(() => asked.push(rounds.length));
    await turns(6);
    expect([...asked, rounds.length]).toEqual([1, 2]);
  });

  it("fails the start with the reason of the first round", async () => {
    outcomes = [unavailable("it is asleep")];
    await expect(loop.start()).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
    expect(healths.at(-1)).toMatchObject({ state: "down", detail: expect.stringMatching(/^Not receiving: .*asleep/) });
  });

  it("doubles the pause with each failure in a row, up to half a minute", async () => {
    outcomes = Array.from({ length: 7 }, () => unavailable("it is asleep"));
    expect(await pauses(8)).toEqual([1, 2, 4, 8, 16, 30, 30]);
    expect(rounds.at(-1)).toMatchObject({ isFirst: true, failures: 7 });
    expect(healths.at(-1)).toEqual({ state: "up" });
  });

  it("begins with the shortest pause again once something was received", async () => {
    outcomes = [unavailable("asleep"), unavailable("asleep"), null, unavailable("asleep")];
    expect(await pauses(5)).toEqual([1, 2, 0, 1]);
  });

  it("leaves a platform that refuses the credentials alone for five minutes", async () => {
    outcomes = [unauthorised()];
    expect(await pauses(2)).toEqual([300]);
  });

  it("waits for as long as the platform asks to", async () => {
    outcomes = [rateLimited(17_000)];
    expect(await pauses(2)).toEqual([17]);
  });

  it("lets the adapter judge a failure: its health, its pause, and whether to start", async () => {
    make({ judge: (_, usual) => ({ ...usual, health: { state: "degraded" }, waitMs: 7_000, mayStart: true }) });
    outcomes = [unavailable("somebody else polls")];
    await loop.start();
    expect(healths).toEqual([{ state: "degraded" }]);
    expect(await pauses(2)).toEqual([7]);
  });

  it("counts as up on a connection that brought nothing yet, and keeps its failures", async () => {
    make({
      async receive(round) {
        rounds.push(round);
        round.connected();
        throw unavailable("it hung up");
      },
    });
    await loop.start();
    expect(await pauses(4)).toEqual([1, 2, 4]);
  });

  it("stops at once while it waits, and begins no other round", async () => {
    outcomes = [unavailable("asleep")];
    await expect(loop.start()).rejects.toThrow();
    await loop.stop();
    await clock.advance(60_000);
    expect(rounds).toHaveLength(1);
  });

  it("stops only when the round under way has ended, and reports no failure of that", async () => {
    const ended = gate();
    make({
      async receive({ signal, received }) {
        received();
        await new Promise((done) => signal.addEventListener("abort", done));
        await ended.pass();
        throw unavailable("aborted");
      },
    });
    await loop.start();
    let isStopped = false;
    const stopped = loop.stop().then(() => {
      isStopped = true;
    });
    await ended.reached;
    expect(isStopped).toBe(false);
    ended.open();
    await stopped;
    expect(healths).toEqual([{ state: "up" }]);
  });
});

import type { Clock } from "@hermes/core";
import { createVirtualClock, notingLogger, until } from "@hermes/testing";
import { expect, test } from "vitest";
import { forbidden } from "../errors.ts";
import { DeliveryReports } from "./delivery-reports.ts";
import type { WireStatus } from "./wire.ts";

/** Reports on a clock that counts the timers which somebody still holds. */
function reports() {
  const virtual = createVirtualClock();
  const held = new Set<Disposable>();
  const setTimer: Clock["setTimer"] = (...timer) => {
    const own = virtual.setTimer(...timer);
    held.add(own);
    return { [Symbol.dispose]: () => void (held.delete(own) && own[Symbol.dispose]()) };
  };
  const settled: string[] = [];
  const told: string[] = [];
  const keys: string[] = [];
  const looks: string[] = [];
  const failing: boolean[] = [];
  const taken = new DeliveryReports({
    clock: { ...virtual, setTimer },
    logger: notingLogger([]),
    settle: async (messageId, refusal, _, key) => {
      if (failing.shift()) throw new Error("the store is busy");
      if (key !== undefined) keys.push(`${key} ${refusal === null ? "arrived" : "refused"}`);
      settled.push(messageId);
      told.push(refusal === null ? "arrived" : "refused");
    },
    refusalOf: async ({ id }) => {
      looks.push(id);
      await null;
      looks.push("done");
      return forbidden("refused", "Let them write first.");
    },
  });
  /** Reports a refusal. Returns a promise of what becomes of it: "taken", or "left to Meta". */
  const refuse = (id: string) =>
    taken.take({ id, status: "failed" } as WireStatus).then(
      () => "taken",
      () => "left to Meta",
    );
  const deliver = (id: string) => taken.take({ id, status: "delivered" } as WireStatus);
  return { taken, deliver, refuse, settled, told, keys, looks, failing, held, virtual };
}

test("a delivery is reported twice, since the first report may come too early", async () => {
  const { deliver, settled, virtual } = reports();
  await deliver("wamid.1");
  await virtual.advance(2_000);
  expect(settled).toEqual(["wamid.1", "wamid.1"]);
});

test("a refusal is acknowledged when it was repeated, and no copy of it sooner", async () => {
  const { refuse, settled, virtual } = reports();
  const taken: string[] = [];
  void refuse("wamid.1").then((word) => taken.push(word));
  await virtual.advance(1_000);
  void refuse("wamid.1").then((word) => taken.push(word));
  await virtual.advance(900);
  expect([taken, settled]).toEqual([[], ["wamid.1"]]);
  await virtual.advance(100);
  expect([taken, settled]).toEqual([
    ["taken", "taken"],
    ["wamid.1", "wamid.1"],
  ]);
});

test("a delivery after a refusal that is still being told has the last word", async () => {
  const { refuse, deliver, told, virtual } = reports();
  void refuse("wamid.1");
  void deliver("wamid.1");
  await virtual.advance(2_000);
  await virtual.advance(2_000);
  expect(told).toEqual(["refused", "refused", "arrived", "arrived"]);
});

test("refusals that come together are looked into one after another, in their order", async () => {
  const { refuse, looks } = reports();
  void refuse("wamid.1");
  void refuse("wamid.2");
  await until(() => looks.length === 4);
  expect(looks).toEqual(["wamid.1", "done", "wamid.2", "done"]);
});

test("a refusal that was not repeated before a stop is left to Meta to report again", async () => {
  const { taken, refuse, settled, virtual } = reports();
  const word = refuse("wamid.1");
  await virtual.advance(1_000);
  taken.stop();
  expect(await word).toBe("left to Meta");
  expect(settled).toEqual(["wamid.1"]);
});

test("a message that was reported on leaves nothing behind", async () => {
  const { taken, deliver, held, virtual } = reports();
  for (let n = 0; n < 100; n++) await deliver(`wamid.${n}`);
  await virtual.advance(2_000);
  const fired = held.size;
  taken.stop();
  expect(held.size).toBe(fired);
});

test("no delivery is reported once the platform has stopped", async () => {
  const { taken, deliver, settled, virtual } = reports();
  await deliver("wamid.1");
  taken.stop();
  await deliver("wamid.2");
  await virtual.advance(2_000);
  expect(settled).toEqual(["wamid.1", "wamid.2"]);
});

test("a report that could not be stored is news when it comes again", async () => {
  const { deliver, settled, failing } = reports();
  failing.push(true);
  await expect(deliver("wamid.1")).rejects.toThrow("the store is busy");
  await deliver("wamid.1");
  expect(settled).toEqual(["wamid.1"]);
});

test("a report tells the key of its message, whose send may have had no answer", async () => {
  const { taken, keys, virtual } = reports();
  await taken.take({ id: "wamid.1", status: "delivered", biz_opaque_callback_data: "row-1" } as WireStatus);
  void taken.take({ id: "wamid.2", status: "failed", biz_opaque_callback_data: "row-2" } as WireStatus);
  await virtual.advance(2_000);
  expect(keys.sort()).toEqual(["row-1 arrived", "row-1 arrived", "row-2 refused", "row-2 refused"]);
});

import { expect, test } from "vitest";
import { Coalesced } from "./coalesced.ts";

test("callers during a run share one more run after it", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const look = new Coalesced(async () => gates[runs++]?.promise);
  const first = look.run();
  await Promise.resolve();
  const [second, third] = [look.run(), look.run()];
  expect(runs).toBe(1);
  for (const gate of gates) gate.resolve();
  await Promise.all([first, second, third]);
  expect(runs).toBe(2);
});

test("work that failed runs again with the next call", async () => {
  let runs = 0;
  const look = new Coalesced(async () => {
    if (++runs === 1) throw new Error("busy");
  });
  await expect(look.run()).rejects.toThrow("busy");
  await look.run();
  expect(runs).toBe(2);
});

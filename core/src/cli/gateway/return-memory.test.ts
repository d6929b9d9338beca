import { createVirtualClock } from "@hermes/testing";
import { expect, test } from "vitest";
import { returnMemory } from "./return-memory.ts";

/** A process that a test lets work and grow. `floor` is what it needs, in bytes. */
async function start() {
  const clock = createVirtualClock();
  const state = { resident: 140, processorTime: 0, floor: 100, collections: 0 };
  returnMemory(clock, {
    resident: () => state.resident,
    processorTime: () => state.processorTime,
    returnFree() {
      state.collections++;
      state.resident = state.floor;
    },
  });
  await clock.advance(2_000);
  return { clock, state };
}

test("a gateway gives back what its start left behind, once", async () => {
  const { clock, state } = await start();
  expect(state).toMatchObject({ collections: 1, resident: 100 });
  await clock.advance(60_000);
  expect(state.collections).toBe(1);
});

test("a gateway that has grown gives memory back once it is idle", async () => {
  const { clock, state } = await start();
  state.resident = 300;
  for (let second = 0; second < 10; second++) {
    state.processorTime += 500_000;
    await clock.advance(1_000);
  }
  expect(state.collections).toBe(1);
  await clock.advance(4_000);
  expect(state).toMatchObject({ collections: 2, resident: 100 });
});

test("a gateway that holds little more than at its start is left alone", async () => {
  const { clock, state } = await start();
  state.resident = 120;
  await clock.advance(60_000);
  expect(state.collections).toBe(1);
});

test("a gateway that cannot give memory back tries again only when it holds more", async () => {
  const { clock, state } = await start();
  state.floor = 200;
  state.resident = 300;
  await clock.advance(60_000);
  expect(state.collections).toBe(2);
  state.resident = 230;
  await clock.advance(60_000);
  expect(state.collections).toBe(3);
});

test("a gateway that worked on since gives back what that left behind", async () => {
  const { clock, state } = await start();
  state.resident = state.floor = 200;
  await clock.advance(2_000);
  expect(state.collections).toBe(2);
  state.floor = 150;
  for (let second = 0; second < 10; second++) {
    state.processorTime += 100_000;
    await clock.advance(1_000);
  }
  expect(state).toMatchObject({ resident: 150, collections: 3 });
});

test("a gateway gives back the memory of its work once that is over", async () => {
  const { clock, state } = await start();
  state.resident = state.floor = 200;
  await clock.advance(2_000);
  state.floor = 190;
  for (let second = 0; second < 4; second++) {
    state.processorTime += 50_000;
    await clock.advance(1_000);
  }
  expect(state).toMatchObject({ resident: 200, collections: 2 });
  await clock.advance(60_000);
  expect(state).toMatchObject({ resident: 190, collections: 3 });
});

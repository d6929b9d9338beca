import { expect, it } from "vitest";
import { SessionLock } from "./keeping-repository.ts";

/** Lets whatever can go on go on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

it("new work waits for the running work and all that belongs to it", async () => {
  const lock = new SessionLock();
  const done: string[] = [];
  const held = Promise.withResolvers<void>();
  const first = lock.run(async () => {
    done.push("begun");
    await lock.run(async () => {
      await held.promise;
      done.push("within");
    });
    done.push("ended");
  });
  const second = lock.run(async () => void done.push("next"));
  await settled();
  expect(done).toEqual(["begun"]);
  held.resolve();
  await Promise.all([first, second]);
  expect(done).toEqual(["begun", "within", "ended", "next"]);
});

it("work started inside the lock but run after it queues like any other", async () => {
  const lock = new SessionLock();
  const done: string[] = [];
  const later = Promise.withResolvers<void>();
  let straggler: Promise<unknown> = Promise.resolve();
  await lock.run(async () => {
    straggler = later.promise.then(() => lock.run(async () => void done.push("straggler")));
  });
  const held = Promise.withResolvers<void>();
  const second = lock.run(async () => {
    await held.promise;
    done.push("second");
  });
  later.resolve();
  await settled();
  held.resolve();
  await Promise.all([second, straggler]);
  expect(done).toEqual(["second", "straggler"]);
});

it("work that fails does not block later work", async () => {
  const lock = new SessionLock();
  const failing = lock.run(async () => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await lock.run(async () => "next")).toBe("next");
});

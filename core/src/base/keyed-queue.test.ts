import { expect, test } from "vitest";
import { KeyedQueue } from "./keyed-queue.ts";

test("work of one key runs in order, and another key does not wait for it", async () => {
  const queue = new KeyedQueue<string>();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const slow = queue.run("a", () => first.promise.then(() => void done.push("a1")));
  const behind = queue.run("a", async () => void done.push("a2"));
  await queue.run("b", async () => void done.push("b1"));
  expect(done).toEqual(["b1"]);
  first.resolve();
  await Promise.all([slow, behind]);
  expect(done).toEqual(["b1", "a1", "a2"]);
});

test("work that fails rejects for its caller and does not block later work", async () => {
  const queue = new KeyedQueue<string>();
  const failing = queue.run("a", () => Promise.reject(new Error("broken")));
  const behind = queue.run("a", async () => "done");
  await expect(failing).rejects.toThrow("broken");
  expect(await behind).toBe("done");
});

test("onIdle is called once for a key, when its last work is done", async () => {
  const idle: string[] = [];
  const queue = new KeyedQueue<string>({ onIdle: (key) => idle.push(key) });
  void queue.run("a", async () => {});
  void queue.run("a", async () => {});
  expect(queue.has("a")).toBe(true);
  await queue.idle();
  await Promise.resolve();
  expect([queue.has("a"), idle]).toEqual([false, ["a"]]);
});

import { describe, expect, it } from "vitest";
import type { SessionKey } from "../../adapter/session-key.ts";
import { Lanes, type LaneWork } from "./lanes.ts";

const A = "a" as SessionKey;
const B = "b" as SessionKey;

/** Lanes over queues in memory; each message is held until the test lets it go. */
function setUp(begun: readonly string[] = []) {
  const queues = new Map<SessionKey, string[]>([[A, [...begun]]]);
  const log: string[] = [];
  const held = new Map<string, { release: () => void; lane: LaneWork }>();
  const lanes = new Lanes(
    async (key, lane) => {
      const next = queues.get(key)?.shift();
      if (next === undefined) return false;
      log.push(`begin ${next}`);
      await new Promise<void>((release) => held.set(next, { release, lane }));
      log.push(`end ${next}`);
      return true;
    },
    async (key) => begun.includes(queues.get(key)?.[0] ?? ""),
  );
  return {
    lanes,
    log,
    async add(key: SessionKey, name: string) {
      queues.set(key, [...(queues.get(key) ?? []), name]);
      lanes.wake(key);
      await settle();
    },
    async release(name: string) {
      held.get(name)?.release();
      await settle();
    },
    lane: (name: string) => held.get(name)?.lane,
  };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("lanes", () => {
  it("answer the messages of a conversation one at a time, in order", async () => {
    const { add, release, log } = setUp();
    await add(A, "1");
    await add(A, "2");
    expect(log).toEqual(["begin 1"]);
    await release("1");
    expect(log).toEqual(["begin 1", "end 1", "begin 2"]);
  });

  it("answer other conversations meanwhile", async () => {
    const { add, log } = setUp();
    await add(A, "1");
    await add(B, "2");
    expect(log).toEqual(["begin 1", "begin 2"]);
  });

  it("bind a conversation between two of its messages", async () => {
    const { add, release, log, lanes } = setUp();
    await add(A, "1");
    await add(A, "2");
    const bound = lanes.atHead(A, async () => log.push("bound"));
    await settle();
    expect(log).toEqual(["begin 1"]);
    await release("1");
    await bound;
    expect(log).toEqual(["begin 1", "end 1", "bound", "begin 2"]);
  });

  it("go on with a message that was begun before a handoff binds its conversation", async () => {
    const { release, log, lanes } = setUp(["1"]);
    const bound = lanes.atHead(A, async () => log.push("bound"));
    await settle();
    expect(log).toEqual(["begin 1"]);
    await release("1");
    await bound;
    expect(log).toEqual(["begin 1", "end 1", "bound"]);
  });

  it("let a handoff bind while a message that was begun before waits", async () => {
    const { log, lanes, lane } = setUp(["1"]);
    const bound = lanes.atHead(A, async () => log.push("bound"));
    await settle();
    lane("1")?.beginWait();
    await bound;
    expect(log).toEqual(["begin 1", "bound"]);
  });

  it("lets a handoff bind while the first message waits for that handoff", async () => {
    const { add, log, lanes, lane } = setUp();
    await add(A, "1");
    lane("1")?.beginWait();
    await lanes.atHead(A, async () => log.push("bound"));
    expect(log).toEqual(["begin 1", "bound"]);
  });

  it("bind an idle conversation at once, and hand on what the binding throws", async () => {
    const { lanes } = setUp();
    await expect(lanes.atHead(A, async () => "done")).resolves.toBe("done");
    await expect(lanes.atHead(A, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  });

  it("miss no message that comes while the last one ends", async () => {
    const { add, release, log, lanes } = setUp();
    await add(A, "1");
    const ending = release("1");
    await add(A, "2");
    await ending;
    await release("2");
    await lanes.idle();
    expect(log).toEqual(["begin 1", "end 1", "begin 2", "end 2"]);
  });
});

import { createVirtualClock, gate, notingLogger, type VirtualClock } from "@hermes/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { HermesError } from "../base/errors.ts";
import type { InboundMessage } from "./message.ts";
import { type IntakeEntry, OrderedIntake, type OrderedIntakeParts } from "./ordered-intake.ts";
import { platformErrors } from "./platform-errors.ts";

let clock: VirtualClock;
let kept: string[];
let logged: string[];
let receive: (message: InboundMessage) => Promise<void>;
beforeEach(() => {
  clock = createVirtualClock();
  kept = [];
  logged = [];
  receive = async ({ text }) => void kept.push(text);
});

function intake(more: Partial<OrderedIntakeParts> = {}): OrderedIntake {
  return new OrderedIntake({ clock, logger: notingLogger(logged), receive: (message) => receive(message), ...more });
}

function entry(text: string, decode = async () => ({ text }) as InboundMessage | null): IntakeEntry {
  return { place: "chat", id: text, decode };
}

describe("OrderedIntake", () => {
  it("hands a chat's messages over in order, though reading the first takes longer", async () => {
    const read = gate();
    const on = intake();
    const slow = entry("one", async () => {
      await read.pass();
      return { text: "one" } as InboundMessage;
    });
    const all = [on.take("a", slow), on.take("a", entry("two"))];
    await read.reached;
    expect(kept).toEqual([]);
    expect(on.waitingIn("a")).toBe(2);
    read.open();
    await Promise.all(all);
    expect(kept).toEqual(["one", "two"]);
    expect(on.waitingIn("a")).toBe(0);
  });

  it("room resolves when fewer messages wait than the bound", async () => {
    const read = gate();
    const on = intake({ mostWaiting: 2 });
    const slow = entry("one", async () => {
      await read.pass();
      return null;
    });
    const all = [on.take("a", slow), on.take("a", entry("two"))];
    let hasRoom = false;
    const room = on.room().then(() => {
      hasRoom = true;
    });
    await read.reached;
    expect(hasRoom).toBe(false);
    read.open();
    await Promise.all([...all, room]);
    await on.room();
    expect(kept).toEqual(["two"]);
  });

  it("lets no chat wait for another one", async () => {
    const on = intake();
    void on.take(
      "a",
      entry("one", () => new Promise(() => {})),
    );
    await on.take("b", entry("two"));
    expect(kept).toEqual(["two"]);
  });

  it("hands a message over again until the store keeps it, and nothing overtakes it", async () => {
    let refusals = 3;
    const keep = receive;
    receive = async (message) => {
      if (refusals-- > 0) throw new Error("the store is busy");
      await keep(message);
    };
    const on = intake();
    const all = Promise.all([on.take("a", entry("one")), on.take("a", entry("two"))]);
    await clock.advance(6_999);
    expect(kept).toEqual([]);
    await clock.advance(1);
    await all;
    expect(kept).toEqual(["one", "two"]);
  });

  it("passes a message over that cannot be read five times", async () => {
    const on = intake({ retry: { firstMs: 1_000, lastMs: 1_000 } });
    let readings = 0;
    const broken = entry("one", async () => {
      readings++;
      throw new TypeError("what is that?");
    });
    const all = Promise.all([on.take("a", broken), on.take("a", entry("two"))]);
    await clock.advance(4_000);
    await all;
    expect(readings).toBe(5);
    expect(kept).toEqual(["two"]);
    expect(logged.at(-1)).toContain("a message could not be read, and is passed over");
  });

  it("waits for a platform that cannot be reached for what a message is about", async () => {
    const on = intake({ mostReadings: 1 });
    let readings = 0;
    const done = on.take(
      "a",
      entry("one", async () => {
        if (readings++ < 6) throw platformErrors("pager").unavailable("it is asleep");
        return { text: "one" } as InboundMessage;
      }),
    );
    await clock.advance(120_000);
    await done;
    expect(kept).toEqual(["one"]);
  });

  it.each([
    ["the store is busy", new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "a backup" })],
    ["the disk is full", Object.assign(new Error("no space left"), { code: "ENOSPC" })],
  ])("waits until a message can be read as long as %s, and drops none", async (_, problem) => {
    const on = intake();
    let readings = 0;
    const first = entry("one", async () => {
      if (readings++ < 8) throw problem;
      return { text: "one" } as InboundMessage;
    });
    const all = Promise.all([on.take("a", first), on.take("a", entry("two"))]);
    await clock.advance(150_000);
    await all;
    expect(kept).toEqual(["one", "two"]);
  });

  it("reads a message five times though Hermes failed to keep it as often before", async () => {
    const keep = receive;
    let refusals = 6;
    receive = async (message) => {
      if (refusals-- > 0) throw new Error("the store is busy");
      await keep(message);
    };
    let readings = 0;
    const flawed = entry("one", async () => {
      if (readings++ === 6) throw new TypeError("what is that?");
      return { text: "one" } as InboundMessage;
    });
    const done = intake().take("a", flawed);
    await clock.advance(240_000);
    await done;
    expect(kept).toEqual(["one"]);
  });

  it("never says that a message is kept when it was stopped before", async () => {
    const on = intake();
    const held = gate();
    receive = () => held.pass();
    let isSaid = false;
    void on.take("a", entry("one")).then(() => {
      isSaid = true;
    });
    await held.reached;
    on.stop();
    held.open();
    await clock.advance(60_000);
    expect(isSaid).toBe(false);
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, gate, notingLogger, type VirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HintedHistory } from "./hinted-history.ts";
import type { InboundMessage } from "./message.ts";
import { OrderedIntake } from "./ordered-intake.ts";
import { platformErrors } from "./platform-errors.ts";
import { pollingRound } from "./polling.ts";
import { ReceiveLoop } from "./receive-loop.ts";

/** A message as an invented platform has it. */
interface Row {
  readonly id: string;
  readonly chat: string;
  readonly at: number;
  readonly text: string;
  readonly lacksFile?: boolean;
  readonly isEdited?: boolean;
}

let folder: string;
let clock: VirtualClock;
let rows: Row[];
/** What the platform was asked for. */
let asked: string[];
let kept: string[];
/** How Hermes keeps a message. */
let keep: (text: string) => Promise<void>;
let failures: number;
let running: { readonly history: HintedHistory<Row>; stop(): Promise<void> }[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-hinted-"));
  clock = createVirtualClock();
  [rows, asked, kept, running, failures] = [[], [], [], [], 0];
  keep = async (text) => void kept.push(text);
});
afterEach(async () => {
  for (const process of running) await process.stop();
  rmSync(folder, { recursive: true });
});

function write(id: string, more: Partial<Row> = {}): Row {
  const row: Row = { id, chat: "chat", at: clock.now(), text: id, ...more };
  rows = [...rows.filter((one) => one.id !== id), row].sort((a, b) => a.at - b.at);
  return row;
}

const versionOf = ({ text, lacksFile = false }: Row) => `${text} ${lacksFile}`;

/** A process that receives: the history, and what it does with a hint. */
async function start(): Promise<HintedHistory<Row>> {
  const logger = notingLogger([]);
  const history = new HintedHistory<Row>({
    ...{ clock, everyMs: 20_000, deafEveryMs: 5_000 },
    newest: async () => rows.at(-1)?.at ?? null,
    async since(at) {
      if (failures-- > 0) throw platformErrors("pager").unavailable("it is away");
      asked.push(`since ${at}`);
      return rows.filter((row) => row.at >= at);
    },
    async one(id) {
      asked.push(id);
      return rows.find((row) => row.id === id) ?? null;
    },
    describe: (row) => ({
      ...{ id: row.id, place: row.chat, at: row.at, version: versionOf(row), isOwn: false },
      ...{ isChanged: row.isEdited ?? false, isWhole: !row.lacksFile },
    }),
    decode: async ({ text }, isMissed) => ({ text: `${text}${isMissed ? "" : " (edit)"}` }) as InboundMessage,
  });
  history.way("socket", true);
  const intake = new OrderedIntake({ receive: ({ text }) => keep(text), clock, logger });
  const loop = new ReceiveLoop({
    ...{ clock, logger, onHealth() {}, toPlatformError: (error) => error as never },
    receive: pollingRound({ owner: "me", poll: history.poll }, { folder, intake, logger }),
  });
  const stop = async () => {
    intake.stop();
    await loop.stop();
  };
  running.push({ history, stop });
  await loop.start();
  await settled();
  return history;
}

async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await clock.advance(0);
}

async function hint(history: HintedHistory<Row>, row: Row): Promise<void> {
  history.hint({ ...row, version: versionOf(row) });
  await settled();
}

it("a message comes once, however often it is hinted at, and by one reading", async () => {
  const history = await start();
  asked = [];
  const row = write("m1");
  for (let times = 0; times < 3; times++) await hint(history, row);
  expect(kept).toEqual(["m1"]);
  expect(asked).toEqual([`since ${row.at}`]);
});

it("many hints at once are one reading", async () => {
  const history = await start();
  asked = [];
  const all = ["m1", "m2", "m3"].map((id) => write(id));
  for (const row of all) history.hint({ ...row, version: versionOf(row) });
  await settled();
  expect(kept).toEqual(["m1", "m2", "m3"]);
  expect(asked).toHaveLength(1);
});

it("the adapter takes nothing written before its first start, even when hinted at", async () => {
  const before = write("before");
  await clock.advance(1_000);
  write("newest");
  const history = await start();
  await hint(history, before);
  expect(kept).toEqual([]);
  await hint(history, write("before", { text: "edited", at: before.at, isEdited: true }));
  expect(kept).toEqual(["edited (edit)"]);
});

it("a message that no hint came for is found a little later", async () => {
  const history = await start();
  write("m1");
  await clock.advance(20_000);
  await settled();
  expect(kept).toEqual(["m1"]);
  write("m2");
  await clock.advance(20_000);
  await settled();
  expect(history.isDeaf).toBe(true);
});

it("the next process takes what was written while none ran, in order", async () => {
  const history = await start();
  await hint(history, write("m1"));
  await running[0]?.stop();
  for (const id of ["m2", "m3"]) {
    await clock.advance(60_000);
    write(id);
  }
  kept = [];
  await start();
  // Hermes knows the first by its id.
  expect(kept).toEqual(["m1", "m2", "m3"]);
});

it("an old message that is edited is read by its id", async () => {
  const history = await start();
  const old = write("m1");
  await hint(history, old);
  await clock.advance(3_600_000);
  await hint(history, write("m2"));
  await clock.advance(20_000);
  await settled();
  asked = [];
  await hint(history, write("m1", { at: old.at, text: "m1, edited", isEdited: true }));
  expect(asked).toEqual(["m1"]);
  expect(kept).toEqual(["m1", "m2", "m1, edited (edit)"]);
});

it("a hint about nothing that is there changes nothing", async () => {
  const history = await start();
  await hint(history, { id: "made up", chat: "chat", at: clock.now(), text: "Delete everything" });
  expect(kept).toEqual([]);
});

it("a message waits for its file, and what is written behind it waits, too", async () => {
  const history = await start();
  const row = write("picture", { lacksFile: true });
  await hint(history, row);
  await clock.advance(100);
  await hint(history, write("behind"));
  await hint(history, write("elsewhere", { chat: "other" }));
  expect(kept).toEqual(["elsewhere"]);
  write("picture", { at: row.at });
  await clock.advance(2_000);
  await settled();
  expect(kept).toEqual(["elsewhere", "picture", "behind"]);
});

it("a file that never comes does not keep its message for ever", async () => {
  const history = await start();
  await hint(history, write("picture", { lacksFile: true }));
  for (let times = 0; times < 2; times++) {
    await clock.advance(2_000);
    await settled();
  }
  expect(kept).toEqual(["picture"]);
});

it("a hint is not lost by a poll that fails", async () => {
  const history = await start();
  failures = 1;
  const old = write("m1");
  await hint(history, old);
  expect(kept).toEqual([]);
  await clock.advance(1_000);
  await settled();
  expect(kept).toEqual(["m1"]);
});

it("a platform whose clock was wrong for a while is heard all the same", async () => {
  const history = await start();
  await hint(history, write("from the future", { at: clock.now() + 365 * 24 * 3_600_000 }));
  await clock.advance(120_000);
  await hint(history, write("now"));
  await running[0]?.stop();
  await clock.advance(600_000);
  write("missed");
  kept = [];
  await start();
  expect(kept).toContain("missed");
});

describe("a message that Hermes has not kept", () => {
  /** The chat's messages are never kept: a large file is on its way, say. */
  async function startStuck(): Promise<HintedHistory<Row>> {
    keep = (text) => (text.startsWith("stuck") ? new Promise<never>(() => {}) : Promise.resolve(void kept.push(text)));
    const history = await start();
    await hint(history, write("stuck", { chat: "other" }));
    return history;
  }

  it("a message that is not kept holds up no other chat, hinted at or not", async () => {
    const history = await startStuck();
    await hint(history, write("hinted"));
    write("found");
    await clock.advance(20_000);
    await settled();
    expect(kept).toEqual(["hinted", "found"]);
  });

  it("a message that is not kept at a stop is read again, however much was kept since", async () => {
    const history = await startStuck();
    await hint(history, write("stuck, too", { chat: "other" }));
    for (let hours = 1; hours <= 3; hours++) {
      await clock.advance(3_600_000);
      await hint(history, write(`hour ${hours}`));
    }
    await running[0]?.stop();
    keep = async (text) => void kept.push(text);
    kept = [];
    await start();
    expect(kept.filter((text) => text.startsWith("stuck"))).toEqual(["stuck", "stuck, too"]);
  });

  it("a start hours later does not read again what was kept in the end", async () => {
    const held = gate();
    keep = async (text) => {
      if (text === "slow") await held.pass();
      kept.push(text);
    };
    const history = await start();
    await hint(history, write("slow", { chat: "other" }));
    await clock.advance(7_200_000);
    await hint(history, write("quick"));
    held.open();
    await clock.advance(20_000);
    await settled();
    expect(kept).toEqual(["quick", "slow"]);
    await running[0]?.stop();
    kept = [];
    await start();
    expect(kept).toEqual(["quick"]);
  });

  it("no more is read while too many messages wait, and it is read on afterwards", async () => {
    const held = gate();
    keep = async (text) => {
      await held.pass();
      kept.push(text);
    };
    const history = await start();
    const many = Array.from({ length: 1_000 }, (_, n) => write(`m${n}`, { chat: `chat ${n}` }));
    for (const row of many) history.hint({ ...row, version: versionOf(row) });
    await settled();
    asked = [];
    await hint(history, write("one too many"));
    expect(asked).toEqual([]);
    held.open();
    await settled();
    expect(kept).toHaveLength(1_001);
  });
});

it("a message that is deleted while it waits for its file is asked for once more", async () => {
  const history = await start();
  await hint(history, write("picture", { lacksFile: true }));
  rows = [];
  asked = [];
  for (let times = 0; times < 4; times++) {
    await clock.advance(20_000);
    await settled();
  }
  expect(asked.filter((what) => what === "picture")).toHaveLength(1);
});

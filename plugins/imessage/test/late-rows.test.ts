import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS } from "../emulator/index.ts";
import { Api } from "../src/api.ts";
import { heard, type RunningIMessage, settledIn, startIMessage } from "./running-imessage.ts";

const HOUR_MS = 60 * 60_000;

let imessage: RunningIMessage;
beforeEach(async () => {
  imessage = await startIMessage();
});
afterEach(() => imessage[Symbol.asyncDispose]());

/** A message reaches the Mac late, with the time when it was written, and no event tells of it. */
function bringLate(text: string, afterMs: number) {
  imessage.emulator.fail({ operation: "deliver", kind: { is: "lose" } });
  const dateCreated = imessage.clock.now() - afterMs;
  return imessage.emulator.receive({ chatId: CHATS.ada, text, row: { dateCreated } });
}

/** The history has been read, with all that was written before. */
async function historyRead(): Promise<void> {
  await settledIn(imessage);
  const before = imessage.calls("POST message/query").length;
  const isReadAgain = async () => {
    await imessage.clock.advance(20_000);
    return imessage.calls("POST message/query").length;
  };
  await expect.poll(isReadAgain).toBeGreaterThan(before + 2);
}

async function afterMinutes(minutes: number): Promise<string[]> {
  await imessage.clock.advance(minutes * 60_000);
  return heard(imessage);
}

describe("a message that no event tells of", () => {
  it("a message that reaches the Mac hours late without an event is heard in the end", async () => {
    await afterMinutes(240);
    await historyRead();
    await bringLate("Late", 3 * HOUR_MS);
    await expect.poll(() => afterMinutes(11)).toEqual(["Late"]);
  });

  it("a restart takes nothing of hours ago from somebody who is allowed only now", async () => {
    imessage.isAllowed = () => false;
    await imessage.emulator.receive({ chatId: CHATS.grace, text: "Let me in" });
    await settledIn(imessage, CHATS.grace);
    await afterMinutes(180);
    await historyRead();
    await imessage.stop();
    imessage.received.length = 0;
    await imessage.startAgain();
    await afterMinutes(11);
    await settledIn(imessage);
    expect(heard(imessage)).toEqual([]);
  });
});

it("no message is missed though others are deleted while page after page is read", async () => {
  await imessage.stop();
  const { emulator } = imessage;
  for (let n = 1; n <= 700; n++) await emulator.receive({ chatId: CHATS.grace, text: `${n}` });
  const { database } = emulator.world;
  const { rows } = database;
  let reads = 0;
  const readRows = () => (++reads > 1 ? rows.slice(30) : rows);
  Object.defineProperty(database, "rows", { get: readRows, configurable: true });
  const read = await new Api(emulator.options).messages({ after: 0 });
  Object.defineProperty(database, "rows", { value: rows });
  expect(read.map(({ text }) => text)).toEqual(rows.map(({ text }) => text));
});

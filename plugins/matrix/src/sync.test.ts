import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BOT, ROOMS } from "../emulator/index.ts";
import { type RunningMatrix, startMatrix } from "../test/running-matrix.ts";
import { BotStore } from "./store/bot-store.ts";

let matrix: RunningMatrix;
beforeEach(async () => {
  matrix = await startMatrix();
});
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

const texts = () => matrix.received.map(({ text }) => text);
const write = (text: string) => matrix.emulator.receive({ chatId: ROOMS.direct, text });

describe("what was written before", () => {
  it("messages from before the first start are ignored", async () => {
    await matrix[Symbol.asyncDispose]();
    matrix = await startMatrix({}, async (emulator) => {
      await emulator.receive({ chatId: ROOMS.direct, text: "Old." });
    });
    await write("New.");
    await expect.poll(texts).toEqual(["New."]);
  });

  it("messages from before the bot joined a room are ignored", async () => {
    const { emulator } = matrix;
    emulator.createRoom({ id: "!new:emulated.test", name: "New" });
    await emulator.receive({ chatId: "!new:emulated.test", text: "Among ourselves." });
    emulator.invite("!new:emulated.test");
    await expect.poll(() => emulator.chats.some(({ id }) => id === "!new:emulated.test")).toBe(true);
    await emulator.receive({ chatId: "!new:emulated.test", text: "Welcome." });
    await expect.poll(texts).toEqual(["Welcome."]);
  });
});

describe("a message about another one that the server cannot be asked for", () => {
  const NEW = "!new:emulated.test";

  it("receives as soon as it can; until then the health says nothing is received", async () => {
    const { messageId } = await write("one");
    await expect.poll(texts).toEqual(["one"]);
    matrix.emulator.fail({ operation: "event", kind: { is: "rate-limit", retryAfterMs: 7_000 } });
    await matrix.emulator.receive({ chatId: ROOMS.direct, text: "two", replyTo: messageId });
    await expect.poll(() => matrix.adapter.health()).toMatchObject({ state: "down", detail: /Not receiving/ });
    await matrix.clock.advance(6_999);
    expect(texts()).toEqual(["one"]);
    await matrix.clock.advance(1);
    await expect.poll(texts).toEqual(["one", "two"]);
    expect(matrix.adapter.health().state).toBe("up");
  });

  it("brings nothing along from before the bot came into the room", async () => {
    const { emulator } = matrix;
    emulator.createRoom({ id: NEW, name: "New", members: ["@bo:emulated.test"] });
    const { messageId } = await emulator.receive({ chatId: NEW, text: "Among ourselves." });
    emulator.fail({ operation: "connect", kind: { is: "break" } });
    emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await expect.poll(() => matrix.adapter.health().state).toBe("down");
    emulator.server.setMembership(emulator.server.room(NEW) ?? expect.fail("no room"), BOT.userId, "join");
    await emulator.receive({ chatId: NEW, text: "Welcome.", replyTo: messageId });
    emulator.fail({ operation: "event", kind: { is: "break" } });
    await expect
      .poll(async () => {
        await matrix.clock.advance(1_000);
        return texts();
      })
      .toEqual(["Welcome."]);
  });
});

describe("what is written while no gateway runs", () => {
  it("messages written while no gateway ran arrive at the next start, in order", async () => {
    await write("one");
    await expect.poll(texts).toEqual(["one"]);
    await matrix.stop();
    await write("two");
    await write("three");
    await matrix.restart();
    await expect.poll(texts).toEqual(["one", "two", "three"]);
  });

  it("more missed messages arrive than one sync holds", async () => {
    await write("first");
    await expect.poll(texts).toEqual(["first"]);
    await matrix.stop();
    const wanted = Array.from({ length: 230 }, (_, at) => `message ${at}`);
    for (const text of wanted) await write(text);
    await matrix.restart();
    await expect.poll(texts).toEqual(["first", ...wanted]);
  });
});

describe("a place in the events that the server does not know any more", () => {
  it("a forgotten sync position leads to a first sync and a health notice", async () => {
    await write("one");
    await expect.poll(texts).toEqual(["one"]);
    await matrix.stop();
    await write("in between");
    matrix.emulator.server.forgetPositions();
    await matrix.restart();
    await write("two");
    await expect.poll(texts).toEqual(["one", "two"]);
    expect(matrix.adapter.health()).toMatchObject({ state: "up", detail: /has to be written again/ });
    expect(matrix.logged.join("\n")).toContain("Invalid stream token");
    await matrix.restart();
    await write("three");
    await expect.poll(texts).toEqual(["one", "two", "three"]);
    expect(matrix.adapter.health()).toEqual({ state: "up" });
  });

  it("a sync position forgotten while the gateway runs leads to a first sync", async () => {
    await write("one");
    await expect.poll(texts).toEqual(["one"]);
    matrix.emulator.server.forgetPositions();
    await expect.poll(() => matrix.adapter.health().detail).toMatch(/has to be written again/);
    await write("two");
    await expect.poll(texts).toEqual(["one", "two"]);
    await matrix.clock.advance(25 * 3_600_000);
    await write("three");
    await expect.poll(() => matrix.adapter.health()).toEqual({ state: "up" });
  });

  it("the sync position is kept if the server refuses a first sync as well", async () => {
    await write("one");
    await expect.poll(texts).toEqual(["one"]);
    await matrix.stop();
    await write("two");
    matrix.emulator.fail({ operation: "connect", times: 2, kind: { is: "refuse", code: "M_UNKNOWN: Out of order" } });
    await expect(matrix.restart()).rejects.toMatchObject({ code: "PLATFORM_REJECTED" });
    await matrix.restart();
    await expect.poll(texts).toEqual(["one", "two"]);
  });
});

describe("a message that Hermes has not kept", () => {
  it("replays a message after a crash: the sync token is saved after the message", async () => {
    await write("one");
    await expect.poll(texts).toEqual(["one"]);
    matrix.onReceive = () => new Promise(() => {});
    await write("two");
    await expect.poll(texts).toEqual(["one", "two"]);
    matrix.onReceive = async () => {};
    await matrix.restart();
    await expect.poll(texts).toEqual(["one", "two", "two"]);
    const [, first, again] = matrix.received;
    expect(again?.messageId).toBe(first?.messageId);
  });

  it("a message that Hermes could not store is retried before later ones", async () => {
    let isBroken = true;
    matrix.onReceive = async () => {
      if (isBroken) throw new Error("the store is busy");
    };
    await write("one");
    await expect.poll(texts).toEqual(["one"]);
    await write("two");
    isBroken = false;
    await matrix.clock.advance(1_000);
    await expect.poll(texts).toEqual(["one", "one", "two"]);
  });
});

describe("the connection", () => {
  it("the sync starts only once the server has said who the bot is", async () => {
    await matrix.stop();
    const before = matrix.calls("sync").length;
    matrix.emulator.fail({ operation: "whoami", kind: { is: "break" } });
    await expect(matrix.restart()).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
    expect(matrix.calls("sync")).toHaveLength(before);
  });

  it("a rate-limited sync is retried when the server says, and the health tells", async () => {
    matrix.emulator.fail({ operation: "connect", kind: { is: "rate-limit", retryAfterMs: 7_000 } });
    matrix.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await matrix.clock.advance(1_000);
    await expect
      .poll(async () => {
        await matrix.clock.advance(500);
        return matrix.logged.join("\n");
      })
      .toContain('"retryInMs":7000');
    expect(matrix.adapter.health()).toMatchObject({ state: "down", detail: expect.stringContaining("Not receiving") });
    await matrix.clock.advance(7_000);
    await expect.poll(() => matrix.adapter.health().state).toBe("up");
  });

  it("the connection is down, with what to do, once its owner ended the session", async () => {
    matrix.emulator.signOutBot();
    await expect.poll(() => matrix.adapter.health().detail).toMatch(/Not receiving: .*credentials.*token/);
    expect(matrix.logged.join("\n")).toContain('"retryInMs":300000');
    await expect(matrix.restart()).rejects.toMatchObject({ code: "PLATFORM_UNAUTHORISED" });
  });
});

describe("a bot whose keys another gateway took over", () => {
  const takeOver = async () => {
    // It is asked for more only when the first sync is kept.
    await write("Before.");
    await expect.poll(texts).toEqual(["Before."]);
    new BotStore(matrix.folder).close();
  };

  it("a bot restarts and catches up once it holds the account again", async () => {
    await takeOver();
    await write("Who is there?");
    await expect.poll(() => matrix.failures).toMatchObject([{ code: "PLATFORM_UNAVAILABLE", retryable: true }]);
    await matrix.restart();
    await write("And now?");
    await expect.poll(() => texts().at(-1)).toBe("And now?");
    expect(texts()).toContain("Who is there?");
    expect(matrix.adapter.health()).toMatchObject({ state: "up" });
  });

  it("a bot stays stopped, with a reason, while another gateway has the account", async () => {
    matrix.holdsAccount = false;
    await takeOver();
    await write("Who is there?");
    await expect.poll(() => matrix.adapter.health().detail).toContain("another gateway has taken over");
    expect(matrix.failures).toEqual([]);
  });
});

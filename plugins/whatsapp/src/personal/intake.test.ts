import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InboundMessage, Logger } from "@hermes/core";
import { createVirtualClock } from "@hermes/testing";
import type { WAMessage, WASocket } from "@whiskeysockets/baileys";
import { afterEach, beforeEach, expect, it } from "vitest";
import { at, until } from "../../test/harness.ts";
import { Arrivals } from "./arrivals.ts";
import { Intake } from "./intake.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-intake-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const nobody: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => nobody };

function wire(id: string): WAMessage {
  return { key: { remoteJid: "491701234567@s.whatsapp.net", id }, message: { conversation: id } } as WAMessage;
}

function read({ key }: WAMessage): InboundMessage {
  const { id } = key;
  if (id === "unreadable") throw new TypeError("it cannot be read");
  return { conversation: at("491701234567"), messageId: String(id), sender: { id: "ada" }, text: "", sentAt: 0 };
}

it("an unreadable message delays those behind it for seconds, and is not kept", async () => {
  const clock = createVirtualClock();
  const path = join(folder, "arrivals.jsonl");
  const taken: string[] = [];
  const intake = new Intake({
    arrivals: new Arrivals(path, (text) => text),
    clock,
    logger: nobody,
    isForHermes: () => true,
    read: async (message) => read(message),
    receive: async ({ messageId }) => void taken.push(messageId),
  });
  intake.open();
  intake.keep(wire("unreadable"));
  intake.keep(wire("behind"));
  for (let second = 0; second < 5; second++) {
    await new Promise(setImmediate);
    await clock.advance(1_000);
  }
  await until(() => taken.length > 0);
  expect(taken).toEqual(["behind"]);
  intake.stop();
  expect(new Arrivals(path, (text) => text).waiting).toEqual([]);
});

it("hands over what a process that had the account for a moment wrote down meanwhile", async () => {
  const path = join(folder, "arrivals.jsonl");
  const taken: string[] = [];
  const intake = new Intake({
    arrivals: new Arrivals(path, (text) => text),
    clock: createVirtualClock(),
    logger: nobody,
    isForHermes: () => true,
    read: async (message) => read(message),
    receive: async ({ messageId }) => void taken.push(messageId),
  });
  intake.open();
  intake.keep(wire("first"));
  new Arrivals(path, (text) => text).add(wire("elsewhere"));
  intake.keep(wire("second"));
  await until(() => taken.length === 3);
  expect(taken).toEqual(["first", "elsewhere", "second"]);
  intake.stop();
  expect(new Arrivals(path, (text) => text).waiting).toEqual([]);
});

it("refuses messages beyond the bound, and has room when half are taken", async () => {
  const free = Promise.withResolvers<void>();
  const taken: string[] = [];
  const intake = new Intake({
    arrivals: new Arrivals(join(folder, "arrivals.jsonl"), (text) => text),
    clock: createVirtualClock(),
    logger: nobody,
    isForHermes: () => true,
    read: async (message) => read(message),
    receive: async ({ messageId }) => {
      await free.promise;
      taken.push(messageId);
    },
    mostWaiting: 2,
  });
  intake.open();
  intake.keep(wire("first"));
  intake.keep(wire("second"));
  expect(() => intake.keep(wire("third"))).toThrow("too many messages wait");
  expect(() => intake.keep(wire("second"))).not.toThrow();
  free.resolve();
  await intake.room();
  intake.keep(wire("third"));
  await until(() => taken.length === 3);
  expect(taken).toEqual(["first", "second", "third"]);
  intake.stop();
});

it("a message that the phone sent again is kept once the disk has room", async () => {
  const clock = createVirtualClock();
  const arrivals = new Arrivals(join(folder, "arrivals.jsonl"), (text) => text);
  const add = arrivals.add.bind(arrivals);
  let failures = 10;
  arrivals.add = (message) => {
    if (failures-- > 0) throw new Error("no space left on the disk");
    return add(message);
  };
  const taken: string[] = [];
  const intake = new Intake({
    ...{ arrivals, clock, logger: nobody, isForHermes: () => true },
    read: async (message) => read(message),
    receive: async ({ messageId }) => void taken.push(messageId),
  });
  intake.open();
  const ev = new EventEmitter();
  intake.listen({ ev } as unknown as WASocket);
  ev.emit("messages.upsert", { messages: [wire("again")] });
  await clock.advance(10_000);
  await until(() => taken.length > 0);
  expect(taken).toEqual(["again"]);
  intake.stop();
});

import { PlatformError } from "@hermes/core";
import { createVirtualClock, notingLogger } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS } from "../emulator/index.ts";
import { type RunningSignal, startSignal } from "../test/running-signal.ts";
import { listen } from "./event-stream.ts";

let signal: RunningSignal;
beforeEach(async () => {
  signal = await startSignal();
});
afterEach(async () => {
  await signal[Symbol.asyncDispose]();
});

/** A round of receiving, and what was said of it. */
function roundAfter(failures: number) {
  const said: string[] = [];
  const connected = () => void said.push("connected");
  const received = () => void said.push("received");
  const { signal } = new AbortController();
  return { said, signal, isFirst: failures === 0, failures, connected, received } as const;
}

const room = async () => {};
const logger = notingLogger([]);

function write(text: string, chatId: string = CHATS.ada) {
  return signal.emulator.receive({ chatId, text });
}

function texts(): string[] {
  return signal.received.map(({ text }) => text);
}

/** Ends the stream and keeps it from being opened again. */
async function cut(): Promise<void> {
  signal.emulator.fail({ operation: "connect", times: 1_000, kind: { is: "break" } });
  signal.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
  await expect.poll(() => signal.adapter.health().state).not.toBe("up");
}

describe("a stream of events that ends", () => {
  it("the health reports an ended event stream, which is then reopened", async () => {
    await cut();
    const { state, detail } = signal.adapter.health();
    expect(state).toBe("degraded");
    expect(detail).toMatch(/^Not receiving: /);
    expect((await fetch(`${signal.emulator.url}/api/v1/check`)).status).toBe(200);
    await write("Are you there?");
    signal.emulator.heal();
    await signal.clock.advance(10_000);
    await expect.poll(texts).toEqual(["Are you there?"]);
    expect(signal.adapter.health()).toEqual({ state: "up" });
  });

  it("the event stream is reopened after the daemon stopped", async () => {
    signal.emulator.feed.end();
    await expect.poll(() => signal.adapter.health().state).toBe("degraded");
    await signal.clock.advance(1_000);
    await write("Back?");
    await expect.poll(texts).toEqual(["Back?"]);
  });

  it("reopening the event stream backs off up to 10 s", async () => {
    const waits = () => signal.logged.flatMap((line) => /"retryInMs":(\d+)/.exec(line)?.slice(1).map(Number) ?? []);
    await cut();
    const expected = [1_000, 2_000, 4_000, 8_000, 10_000, 10_000];
    for (const [at, wait] of expected.entries()) {
      await expect.poll(waits).toEqual(expected.slice(0, at + 1));
      const before = signal.calls("events").length;
      await signal.clock.advance(wait - 1);
      expect(signal.calls("events")).toHaveLength(before);
      await signal.clock.advance(1);
      await expect.poll(() => signal.calls("events")).toHaveLength(before + 1);
    }
  });
});

describe("a stream that goes silent", () => {
  it.each([
    ["a first stream counts as open after 3 s: old daemons are silent at first", 0],
    ["a stream counts as open again only when something comes over it", 1],
  ])("%s", async (_, failures) => {
    const clock = createVirtualClock();
    const round = roundAfter(failures);
    const open = (aborting: AbortSignal) =>
      new Promise<never>((_, reject) => aborting.addEventListener("abort", () => reject(aborting.reason)));
    const ended = expect(listen(round, { clock, logger, open, take() {}, room })).rejects.toThrow(
      "no sign of life for 60 s",
    );
    await clock.advance(2_999);
    expect(round.said).toEqual([]);
    await clock.advance(57_000);
    expect(round.said).toEqual(failures === 0 ? ["connected"] : []);
    await clock.advance(1);
    await ended;
  });

  it("a silent event stream is reopened after a minute", async () => {
    signal.emulator.feed.isMute = true;
    await signal.clock.advance(59_000);
    expect(signal.adapter.health().state).toBe("up");
    await signal.clock.advance(1_000);
    await expect.poll(() => signal.adapter.health().detail).toMatch("no sign of life for 60 s");
    signal.emulator.feed.isMute = false;
    await signal.clock.advance(1_000);
    await write("Are you there?");
    await expect.poll(texts).toEqual(["Are you there?"]);
  });

  it("keep-alive comments keep the stream from counting as silent", async () => {
    const clock = createVirtualClock();
    const round = roundAfter(0);
    let read = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
    // Asks for a chunk when the one before it was read.
    const source = { pull: (controller: ReadableStreamDefaultController<Uint8Array>) => read.resolve(controller) };
    const open = async (aborting: AbortSignal) => {
      aborting.addEventListener("abort", async () => (await read.promise).error(aborting.reason));
      return new ReadableStream(source, { highWaterMark: 0 });
    };
    const ended = expect(listen(round, { clock, logger, open, take() {}, room })).rejects.toThrow(
      "no sign of life for 60 s",
    );
    for (let minutes = 0; minutes < 4; minutes++) {
      const controller = await read.promise;
      await clock.advance(50_000);
      read = Promise.withResolvers();
      controller.enqueue(Buffer.from(":\n"));
    }
    await read.promise;
    expect(round.said).toEqual(["connected", "received", "received", "received", "received"]);
    await clock.advance(60_000);
    await ended;
  });
});

describe("a daemon that is not there", () => {
  it("the health reports an unreachable daemon, and sends fail", async () => {
    await signal.emulator.close();
    await expect.poll(() => signal.adapter.health().state).not.toBe("up");
    await signal.clock.advance(1_000);
    await expect.poll(() => signal.adapter.health()).toMatchObject({ state: "down", detail: /ECONNREFUSED/ });
    const sent = signal.adapter.homeConversation({ chatId: CHATS.ada });
    await expect(sent).rejects.toBeInstanceOf(PlatformError);
  });
});

it("a full intake pauses the stream, and the pause does not count as silence", async () => {
  const { clock } = signal;
  const full = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of ["data: 1\n\n", "data: 2\n\n"]) controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
  const taken: string[] = [];
  const take = ({ data }: { readonly data: string }) => void taken.push(data);
  const stream = { clock, logger, open: async () => body, take, room: () => full.promise };
  const ended = expect(listen(roundAfter(0), stream)).rejects.toThrow("ended the stream");
  await expect.poll(() => taken).toEqual(["1"]);
  await clock.advance(120_000);
  expect(taken).toEqual(["1"]);
  full.resolve();
  await ended;
  expect(taken).toEqual(["1", "2"]);
});

it("an event that cannot be kept is tried until it can, and those behind it wait", async () => {
  const { clock } = signal;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("data: 1\n\ndata: 2\n\n"));
      controller.close();
    },
  });
  const taken: string[] = [];
  let tries = 0;
  const take = ({ data }: { readonly data: string }) => {
    if (++tries <= 60) throw new Error("no space left on the disk");
    taken.push(data);
  };
  const ended = expect(listen(roundAfter(0), { clock, logger, open: async () => body, take, room })).rejects.toThrow(
    "ended the stream",
  );
  await expect.poll(() => tries).toBe(1);
  await clock.advance(59_000);
  expect(taken).toEqual([]);
  await clock.advance(1_000);
  await ended;
  expect(taken).toEqual(["1", "2"]);
});

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, expect, it } from "vitest";
import { LARGEST_FILE } from "../base/file-ref.ts";
import type { Attachment, Download } from "./message.ts";
import { platformErrors } from "./platform-errors.ts";
import { readAttachment } from "./read-attachment.ts";

type Serve = (response: ServerResponse) => unknown;

const answers =
  (status: number, headers: Record<string, string> = {}): Serve =>
  (response) =>
    response.writeHead(status, headers).end();
const gives: Serve = (response) => response.end("plan");
const breaks: Serve = (response) => response.destroy();
const breaksOff: Serve = (response) => {
  response.writeHead(200, { "content-length": "4" }).write("pl", () => response.destroy());
};

const open: Disposable[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one[Symbol.dispose]();
});

/** A file on a server that answers one attempt after the other by `serving`, and by its last for good. */
async function fileOn(...serving: readonly Serve[]) {
  const clock = createVirtualClock();
  const asked: number[] = [];
  const server = createServer((_, response) => {
    asked.push(clock.steady().ms);
    serving[Math.min(asked.length, serving.length) - 1]?.(response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  open.push({ [Symbol.dispose]: () => [server.closeAllConnections(), server.close()] });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/plan.txt`;
  const logged: unknown[] = [];
  const logger = { warn: (facts: unknown) => void logged.push(facts) };
  const fromServer: Download = ({ signal }) => fetch(url, { redirect: "manual", signal });
  const read = ({ signal, ...more }: Partial<Attachment> & { readonly signal?: AbortSignal } = {}) => {
    const sent = { name: "plan.txt", mediaType: "text/plain", size: 4, download: fromServer, ...more };
    return readAttachment(sent, { clock, logger, ...(signal && { signal }) });
  };
  /** Reads it, and lets each of these pauses pass when it is made. */
  const readAfter = async (pauses: readonly number[], more?: Partial<Attachment>) => {
    const reading = read(more);
    for (const pause of pauses) {
      await expect.poll(() => clock.isWaiting(pause), { interval: 1 }).toBe(true);
      await clock.advance(pause);
    }
    return (await reading).attachment;
  };
  return { clock, asked, logged, read, readAfter };
}

it.each<[string, readonly Serve[], readonly number[]]>([
  ["its server limits the rate, when that is over", [answers(429, { "retry-after": "3" }), gives], [3_000]],
  ["its server limits the rate and does not say for how long", [answers(429), gives], [1_000]],
  [
    "its server is busy until a time",
    [answers(503, { "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }), gives],
    [5_000],
  ],
  ["its server fails twice", [answers(500), answers(502), gives], [1_000, 2_000]],
  ["the connection is lost", [breaks, gives], [1_000]],
  ["its content breaks off", [breaksOff, gives], [1_000]],
])("a file is read although %s", async (_, serving, pauses) => {
  const file = await fileOn(...serving);
  expect(await file.readAfter(pauses)).toEqual({ name: "plan.txt", mediaType: "text/plain", size: 4, text: "plan" });
  expect(file.asked).toEqual([0, ...pauses.map((_, at) => pauses.slice(0, at + 1).reduce((sum, ms) => sum + ms))]);
});

it.each([302, 400, 401, 403, 404, 410, 413])("an answer of %i is final: the file is asked for once", async (status) => {
  const file = await fileOn(answers(status, { location: "/elsewhere", "retry-after": "1" }), gives);
  expect(await file.readAfter([])).toEqual({ name: "plan.txt", mediaType: "text/plain", size: 4, isLost: true });
  expect(file.asked).toHaveLength(1);
  expect(file.logged).toEqual([{ name: "plan.txt", reason: `its server answered ${status}` }]);
});

it("a file that cannot be had three times is lost", async () => {
  const file = await fileOn(answers(503));
  expect(await file.readAfter([1_000, 2_000])).toMatchObject({ isLost: true });
  expect(file.asked).toHaveLength(3);
});

it("a file is lost at once where its server asks for a longer wait than there is", async () => {
  const file = await fileOn(answers(429, { "retry-after": "15" }), gives);
  expect(await file.readAfter([])).toMatchObject({ isLost: true });
  expect(file.asked).toHaveLength(1);
});

it("a file that does not come in time is lost, whatever its download waits for", async () => {
  const file = await fileOn();
  expect(await file.readAfter([15_000], { download: () => new Promise(() => {}) })).toMatchObject({ isLost: true });
  expect(file.logged).toEqual([{ name: "plan.txt", reason: "it did not come within 15 s" }]);
});

const { notFound, rateLimited, unavailable } = platformErrors("pager");

it.each([
  ["asked for again", rateLimited(4_000), [4_000]],
  ["asked for again", unavailable("it is away"), [1_000]],
  ["lost at once", notFound("it is gone", "Send it again."), []],
])("a file is %s when its adapter throws %s", async (_, error, pauses) => {
  const failures = [error];
  const download = async () => {
    const failure = failures.pop();
    if (failure !== undefined) throw failure;
    return Buffer.from("plan");
  };
  const read = await (await fileOn()).readAfter(pauses, { download });
  expect(read).toMatchObject(pauses.length > 0 ? { text: "plan" } : { isLost: true });
});

it("nobody waits for a file any longer when the signal aborts", async () => {
  const file = await fileOn(answers(503));
  const stopping = new AbortController();
  const reading = file.read({ signal: stopping.signal });
  await expect.poll(() => file.clock.isWaiting(1_000), { interval: 1 }).toBe(true);
  stopping.abort(new Error("Hermes stops"));
  await expect(reading).rejects.toThrow("Hermes stops");
  expect(file.asked).toHaveLength(1);
});

it.each([
  ["plan.pdf", "application/pdf", 21_000_000, 20_000_000, 20_000_000],
  ["plan.pdf", "application/pdf", LARGEST_FILE + 1, 99_000_000, LARGEST_FILE],
  ["plan.txt", "text/plain", 300_000, undefined, 262_144],
])(
  "%s (%s, %i bytes) is not asked for where %s is the most, and says %i",
  async (name, mediaType, size, largest, limit) => {
    const file = await fileOn(gives);
    const more = largest === undefined ? {} : { largest };
    expect(await file.readAfter([], { name, mediaType, size, ...more })).toEqual({ name, mediaType, size, limit });
    expect(file.asked).toEqual([]);
  },
);

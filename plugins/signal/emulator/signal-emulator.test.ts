import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, PEOPLE, type SignalEmulator, startSignalEmulator } from "./index.ts";

let emulator: SignalEmulator;
beforeEach(async () => {
  emulator = await startSignalEmulator();
});
afterEach(() => emulator.close());

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data: unknown };
}

async function call(method: string, params: object = {}): Promise<Answer> {
  const response = await fetch(`${emulator.url}/api/v1/rpc`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()) as Answer;
}

const recipient = [PEOPLE.ada.number];

/** The beginning of the stream of events, until it holds `text`. */
async function events(text: string, headers: Record<string, string> = {}): Promise<string> {
  const stopping = new AbortController();
  const response = await fetch(`${emulator.url}/api/v1/events`, { headers, signal: stopping.signal });
  let read = "";
  for await (const chunk of response.body ?? []) {
    read += new TextDecoder().decode(chunk);
    if (read.includes(text)) break;
  }
  stopping.abort();
  return read;
}

describe("a send", () => {
  it("a send has a result for each recipient and lands in the chat", async () => {
    const { result } = await call("send", { groupId: CHATS.group, message: "Hello" });
    expect(result).toMatchObject({
      timestamp: expect.any(Number),
      results: [
        { recipientAddress: PEOPLE.ada, groupId: CHATS.group, type: "SUCCESS" },
        { recipientAddress: PEOPLE.grace, groupId: CHATS.group, type: "SUCCESS" },
      ],
    });
    expect(emulator.messages(CHATS.group)).toMatchObject([{ author: "bot", text: "Hello" }]);
  });

  it("a send that reaches nobody is an error with the results, and leaves nothing", async () => {
    emulator.setPerson(CHATS.ada, { isUntrusted: true });
    expect((await call("send", { recipient, message: "Hello" })).error).toMatchObject({
      code: -4,
      message: "Failed to send message due to untrusted identities",
      data: { response: { results: [{ type: "IDENTITY_FAILURE" }] } },
    });
    expect(emulator.messages(CHATS.ada)).toEqual([]);
  });

  it.each([
    [{ recipient: ["nobody"], message: "x" }, -1, "Invalid phone number 'nobody'"],
    [{ message: "x" }, -1, "No recipients given"],
    [{ recipient }, -1, "Sending empty message is not allowed"],
    [{ recipient, message: "x", textStyles: ["0:1:WAVY"] }, -1, "Invalid style: WAVY"],
    [{ recipient, message: "x", textStyles: ["bold"] }, -1, "Invalid textStyle syntax (bold)"],
    [{ groupId: "AAAA", message: "x" }, -1, "Invalid group id: AAAA"],
    [{ groupId: Buffer.alloc(32).toString("base64"), message: "x" }, -1, "Group not found"],
    [{ recipient: ["+4915559999999"], message: "x" }, -1, "Failed to send message"],
    [{ recipient, message: "x", account: "+1" }, -32602, "Specified account does not exist"],
  ])("%j is refused in signal-cli's words", async (params, code, message) => {
    const { error } = await call("send", params);
    expect(error?.code).toBe(code);
    expect(error?.message).toContain(message);
  });

  it("moves a long text into a file, which Hermes avoids", async () => {
    await call("send", { recipient, message: "x".repeat(2_001) });
    expect(emulator.messages(CHATS.ada)[0]?.raw).toMatchObject({ isLong: true });
  });
});

describe("the daemon", () => {
  it("answers 405, 404 and 415 where signal-cli does", async () => {
    const status = async (path: string, init?: RequestInit) => (await fetch(emulator.url + path, init)).status;
    expect(await status("/api/v1/check")).toBe(200);
    expect(await status("/api/v1/rpc")).toBe(405);
    expect(await status("/api/v1/rpc", { method: "POST", body: "{}" })).toBe(415);
    expect(await status("/v1/about")).toBe(404);
    expect(await status("/api/v1/events?account=%2B1")).toBe(400);
  });

  it("knows no other methods than those of signal-cli that Hermes may use", async () => {
    expect((await call("becomeSentient")).error).toMatchObject({ code: -32601, message: "Method not implemented" });
  });

  it("replays events after the client's last id, or all of them for an unknown id", async () => {
    const first = events("two");
    await expect.poll(() => emulator.isConnected).toBe(true);
    await emulator.receive({ chatId: CHATS.ada, text: "one" });
    await emulator.receive({ chatId: CHATS.ada, text: "two" });
    const [, firstId = ""] = /^id:(.+)$/m.exec(await first) ?? [];
    expect(await events("two", { "last-event-id": firstId })).not.toContain('"one"');
    expect(await events("two", { "last-event-id": "5-5" })).toContain('"one"');
  });
});

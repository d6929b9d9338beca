import { notingLogger } from "@hermes/testing";
import { webApi } from "@slack/bolt";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sdkLogger } from "../src/connect.ts";
import { type SlackEmulator, startSlackEmulator } from "./index.ts";

let emulator: SlackEmulator;
beforeEach(async () => {
  emulator = await startSlackEmulator();
});
afterEach(() => emulator.close());

/** Calls as Slack's own client does; what is refused comes back as Slack's code. */
async function call(
  method: string,
  args: Record<string, unknown>,
  token = emulator.options.botToken,
): Promise<unknown> {
  const options = { slackApiUrl: emulator.options.apiUrl, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true };
  const client = new webApi.WebClient(token, { ...options, logger: sdkLogger(notingLogger([])) });
  try {
    return await client.apiCall(method, args);
  } catch (error) {
    const { data, statusCode, retryAfter } = Object(error);
    return data?.error ?? statusCode ?? { retryAfter };
  }
}

interface SentEnvelope {
  readonly type: string;
  readonly payload: { readonly command?: string; readonly text?: string };
}

/** Opens a socket, as an app does that takes envelopes and acknowledges none. */
async function connected(onEnvelope: (envelope: SentEnvelope) => void): Promise<WebSocket> {
  const { url } = Object(await call("apps.connections.open", {}, emulator.options.appToken));
  const socket = new WebSocket(url);
  const greeted = Promise.withResolvers<void>();
  socket.onmessage = ({ data }) => {
    const envelope = JSON.parse(String(data)) as SentEnvelope;
    if (envelope.type === "hello") greeted.resolve();
    else onEnvelope(envelope);
  };
  await greeted.promise;
  return socket;
}

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
const post = (args: Record<string, unknown>) => call("chat.postMessage", { channel: "C0TEAM", ...args });

describe("the emulator refuses what Slack refuses", () => {
  it("wrong tokens, and a right one at the wrong place", async () => {
    expect(await call("auth.test", {}, "xoxb-somebody-else")).toBe("invalid_auth");
    expect(await call("auth.test", {}, emulator.options.appToken)).toBe("not_allowed_token_type");
    expect(await call("apps.connections.open", {})).toBe("not_allowed_token_type");
    expect(await call("auth.test", {}, "")).toBe("not_authed");
  });

  it("channels that are not there, that the bot is not in, or that are archived", async () => {
    expect(await post({ channel: "C0NOWHERE", text: "x" })).toBe("channel_not_found");
    emulator.setMember("C0TEAM", false);
    emulator.setMember("C0PRIVATE", false);
    expect(await post({ text: "x" })).toBe("not_in_channel");
    expect(await post({ channel: "C0PRIVATE", text: "x" })).toBe("channel_not_found");
    emulator.setMember("C0TEAM", true);
    emulator.workspace.channel("C0TEAM").isArchived = true;
    expect(await post({ text: "x" })).toBe("is_archived");
  });

  it("messages that are too long or wrongly made", async () => {
    expect(await post({ text: "" })).toBe("no_text");
    expect(await post({ text: "x".repeat(40_001) })).toBe("msg_too_long");
    expect(await post({ text: "x", blocks: [section("x".repeat(3_001))] })).toBe("invalid_blocks");
    expect(await post({ text: "x", blocks: [section("")] })).toBe("invalid_blocks");
    expect(await post({ text: "x", blocks: [{ type: "marquee" }] })).toBe("invalid_blocks");
    expect(await post({ text: "x", blocks: Array(51).fill(section("x")) })).toBe("invalid_blocks");
    expect(await post({ text: "x", blocks: Array(5).fill(section("x".repeat(2_900))) })).toBe("msg_blocks_too_long");
    expect(await post({ text: "x", metadata: { event_type: "" } })).toBe("invalid_metadata_format");
  });

  it("buttons that are too many, too long or alike", async () => {
    const button = (more: object = {}) => ({ type: "button", text: { type: "plain_text", text: "Yes" }, ...more });
    const answerTo = (elements: readonly object[]) => post({ text: "x", blocks: [{ type: "actions", elements }] });
    const label = (text: string, type = "plain_text") => button({ text: { type, text } });
    for (const elements of [
      [],
      Array(26).fill(button()),
      [label("x".repeat(76))],
      [label("")],
      [label("*Yes*", "mrkdwn")],
      [button({ value: "x".repeat(2_001) })],
      [button({ action_id: "x".repeat(256) })],
      [button({ action_id: "a" }), button({ action_id: "a" })],
      [button({ style: "plain" })],
      [{ type: "datepicker" }],
    ]) {
      expect(await answerTo(elements)).toBe("invalid_blocks");
    }
    expect(await answerTo([label("x".repeat(75)), button({ style: "danger", value: "v" })])).toMatchObject({
      ok: true,
    });
  });

  it("refuses edits of missing or foreign messages, or of more than 4,000 characters", async () => {
    const { messageId: ts } = await emulator.receive({ chatId: "C0TEAM", text: "mine" });
    expect(await call("chat.update", { channel: "C0TEAM", ts, text: "x" })).toBe("cant_update_message");
    expect(await call("chat.update", { channel: "C0TEAM", ts: "1.1", text: "x" })).toBe("message_not_found");
    expect(await call("chat.delete", { channel: "C0TEAM", ts })).toBe("cant_delete_message");
    const own = Object(await post({ text: "x" })).ts;
    expect(await call("chat.update", { channel: "C0TEAM", ts: own, text: "x".repeat(4_001) })).toBe("msg_too_long");
  });

  it("refuses what the app has no scope for, and names the scope", async () => {
    emulator.workspace.scopes.delete("channels:history");
    expect(await call("conversations.history", { channel: "C0TEAM" })).toBe("missing_scope");
    expect(await call("conversations.history", { channel: "D0ADA" })).toMatchObject({ ok: true });
  });

  it("refuses threads and statuses at missing messages, and unknown methods", async () => {
    expect(await call("conversations.replies", { channel: "C0TEAM", ts: "1.1" })).toBe("thread_not_found");
    const status = { channel_id: "C0TEAM", thread_ts: "1.1", status: "x" };
    expect(await call("assistant.threads.setStatus", status)).toBe("invalid_thread_ts");
    expect(await call("chat.shout", {})).toBe("unknown_method");
  });
});

describe("the emulator does what Slack does", () => {
  it("makes /hermes a command rather than a message, and refuses it in threads", async () => {
    const ran: string[] = [];
    const socket = await connected((envelope) =>
      ran.push(`${envelope.type} ${envelope.payload.command} ${envelope.payload.text}`),
    );
    await emulator.receive({ chatId: "D0ADA", text: "/hermes title Trip to Rome" });
    await emulator.receive({ chatId: "C0TEAM", text: "/hermes" });
    await expect.poll(() => ran).toEqual(["slash_commands /hermes title Trip to Rome", "slash_commands /hermes "]);
    expect(emulator.messages("D0ADA")).toEqual([]);
    const inThread = emulator.receive({ chatId: "C0TEAM", threadId: "1.1", text: "/hermes title Rome" });
    await expect(inThread).rejects.toThrow("no slash commands in threads; write !title Rome");
    const unknown = emulator.receive({ chatId: "D0ADA", text: "/help" });
    await expect(unknown).rejects.toThrow("Slack says that /help is not a valid command");
    socket.close();
  });

  it("posts an answer to a thread that is gone in the channel, without an error", async () => {
    const answer = await post({ text: "late", thread_ts: "1.1" });
    expect(answer).toMatchObject({ ok: true });
    expect(Object(answer).message.thread_ts).toBeUndefined();
  });

  it("shows metadata only where they are asked for, and pages", async () => {
    await post({ text: "one", metadata: { event_type: "e", event_payload: { a: "1" } } });
    await post({ text: "two" });
    const first = await call("conversations.history", { channel: "C0TEAM", limit: 1 });
    expect(first).toMatchObject({ messages: [{ text: "two" }], has_more: true });
    const cursor = Object(first).response_metadata.next_cursor;
    const plain = await call("conversations.history", { channel: "C0TEAM", cursor });
    expect(Object(plain).messages[0].metadata).toBeUndefined();
    const whole = await call("conversations.history", { channel: "C0TEAM", cursor, include_all_metadata: true });
    expect(whole).toMatchObject({ messages: [{ text: "one", metadata: { event_payload: { a: "1" } } }] });
  });

  it("plays the failures that it is told of, once each", async () => {
    emulator.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: 2_000 } });
    emulator.fail({ operation: "send", kind: { is: "break" } });
    expect(await post({ text: "x" })).toEqual({ retryAfter: 2 });
    expect(await post({ text: "x" })).toBe(503);
    expect(await post({ text: "x" })).toMatchObject({ ok: true });
    expect(() => emulator.fail({ operation: "send", kind: { is: "redeliver" } })).toThrow("redeliver");
  });

  it("shows no token in its log", async () => {
    await post({ text: `my token is ${emulator.options.botToken}` });
    expect(JSON.stringify(emulator.log)).not.toContain(emulator.options.botToken);
  });

  it("leaves what `hermes emulate` answers to it", async () => {
    await using handled = await startSlackEmulator({
      handle: (request, response) => {
        if (!request.url?.startsWith("/_emulator/")) return false;
        response.end("mine");
        return true;
      },
    });
    expect(await (await fetch(`${handled.url}/_emulator/log`)).text()).toBe("mine");
  });
});

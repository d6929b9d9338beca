import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, listen, type ToldEvent, type ToldMessage } from "../test/bluebubbles-client.ts";
import { type BlueBubblesEmulator, CHATS, PEOPLE, startBlueBubblesEmulator } from "./index.ts";

const clock = createVirtualClock(1_800_000_000_000);
let emulator: BlueBubblesEmulator;
beforeEach(async () => {
  emulator = await startBlueBubblesEmulator({ clock });
});
afterEach(() => emulator.close());

function send(more: object = {}) {
  const body = { chatGuid: CHATS.ada, message: "Hello", tempGuid: "temp-1", method: "apple-script", ...more };
  return call(emulator, "POST", "message/text", body);
}

/** Registers a webhook, and what is posted there. */
async function webhook(
  events: readonly string[] = ["*"],
): Promise<{ readonly events: ToldEvent[]; readonly url: string }> {
  const posted: ToldEvent[] = [];
  const server = createServer(async (request, response) => {
    posted.push(JSON.parse(await text(request)) as ToldEvent);
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  await call(emulator, "POST", "webhook", { url, events });
  return { events: posted, url };
}

const typesOf = (events: readonly ToldEvent[]) => events.map(({ type }) => type);

describe("the password", () => {
  it("the password is a parameter, and no header counts", async () => {
    const headers = { authorization: `Bearer ${emulator.options.password}` };
    const refused = await fetch(`${emulator.url}/api/v1/ping`, { headers });
    expect(refused.status).toBe(401);
    expect(await refused.json()).toEqual({
      status: 401,
      message: "You are not authorized to access this resource",
      error: { type: "Authentication Error", message: "Unauthorized" },
    });
    expect(await call(emulator, "GET", "ping")).toEqual({ status: 200, message: "Ping received!", data: "pong" });
  });

  it("the log has no password, and the guid that a path names", async () => {
    await call(emulator, "GET", `chat/${encodeURIComponent(CHATS.ada)}`);
    expect(emulator.log).toMatchObject([{ method: "GET chat/:guid", body: { guid: CHATS.ada }, status: 200 }]);
    expect(JSON.stringify(emulator.log)).not.toContain("no-server");
  });

  it("a wrong password at the socket connects, and ends without a reason", async () => {
    const { packets } = await listen(emulator, "wrong");
    await expect.poll(() => packets.at(-1)).toBe("41");
    expect(emulator.isConnected).toBe(false);
  });
});

describe("a send", () => {
  it("one send makes two events of a new message, and one of its arrival", async () => {
    const { events } = await listen(emulator);
    const { data } = await send();
    expect(data).toMatchObject({ text: "Hello", tempGuid: "temp-1", isFromMe: true, error: 0 });
    await expect.poll(() => events.length).toBe(3);
    expect(typesOf(events)).toEqual(["new-message", "new-message", "updated-message"]);
    expect(events.map((event) => event.data.guid)).toEqual([data?.guid, data?.guid, data?.guid]);
    expect(events.map((event) => event.data.tempGuid)).toEqual(["temp-1", undefined, undefined]);
    expect(emulator.messages(CHATS.ada)).toMatchObject([{ author: "bot", text: "Hello" }]);
  });

  it("a name is refused while a message is sent under it, and taken again afterwards", async () => {
    emulator.setMac({ sendTakesMs: 1_000 });
    const first = send();
    await expect.poll(() => emulator.world.sending.size).toBe(1);
    expect(await send()).toMatchObject({ status: 400, error: { type: "Validation Error" } });
    await clock.advance(1_000);
    expect((await first).status).toBe(200);
    emulator.setMac({ sendTakesMs: 0 });
    expect((await send()).status).toBe(200);
    expect(emulator.messages(CHATS.ada)).toHaveLength(2);
  });

  it.each([
    [{ tempGuid: undefined }, 400, "A 'tempGuid' is required when sending via AppleScript"],
    [{ message: "" }, 400, "A 'message' is required when sending via AppleScript"],
    [{ message: undefined }, 400, "The message field must be present."],
    [{ chatGuid: "" }, 400, "The chatGuid field is required."],
    [{ method: "pigeon" }, 400, "The selected method is invalid."],
    [{ chatGuid: "iMessage;+;chat5" }, 500, "Can’t get chat id"],
    [{ chatGuid: "iMessage;+;chat5", method: "private-api" }, 500, "Chat does not exist!"],
  ])("%j is refused in the server's words", async (more, status, words) => {
    const { error, ...answer } = await send(more);
    expect(answer.status).toBe(status);
    expect(error?.message).toContain(words);
    expect(emulator.messages(CHATS.ada)).toEqual([]);
  });

  it("a send to somebody without iMessage is an error with the message in it", async () => {
    emulator.setReachable(PEOPLE.ada, false);
    expect(await send()).toMatchObject({
      status: 500,
      error: { type: "iMessage Error", message: "Failed to send message! See attached message error code." },
      data: { error: 22, text: "Hello" },
    });
    expect(emulator.messages(CHATS.ada)).toEqual([]);
  });

  it("a send that fails later shows only in the message itself", async () => {
    const { events } = await listen(emulator);
    emulator.refuseLate(22, 3_000);
    const { status, data } = await send();
    expect(status).toBe(200);
    await clock.advance(3_000);
    const again = await call(emulator, "GET", `message/${data?.guid}`);
    expect(again.data).toMatchObject({ error: 22, dateDelivered: null });
    await call(emulator, "GET", "ping");
    expect(typesOf(events)).toEqual(["new-message", "new-message"]);
  });

  it("fields of the private API make a send need it", async () => {
    const { data } = await send({ method: undefined, selectedMessageGuid: "A", tempGuid: undefined });
    expect(data?.threadOriginatorGuid).toBe("A");
    emulator.setMac({ privateApi: false });
    expect(await send({ selectedMessageGuid: "A" })).toMatchObject({
      status: 500,
      error: { type: "iMessage Error", message: "iMessage Private API is not enabled!" },
    });
    expect((await send()).status).toBe(200);
  });

  it("a send to a guid of before macOS 26 arrives, and the server loses sight of it", async () => {
    emulator.upgradeMac();
    const sending = send();
    const now = `any;-;${PEOPLE.ada}`;
    await expect.poll(() => emulator.messages(now).length).toBe(1);
    await clock.advance(120_000);
    expect(await sending).toMatchObject({ status: 500, data: null, error: { type: "iMessage Error" } });
    expect(await send({ chatGuid: now })).toMatchObject({ status: 200 });
  });

  it("a file is sent as a form, and its answer does not say the client's name for it", async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ chatGuid: CHATS.group, name: "a b.txt", tempGuid: "temp-9" }))
      form.set(name, value);
    form.set("attachment", new Blob(["one"], { type: "text/plain" }), "upload");
    const { data } = await call(emulator, "POST", "message/attachment", form);
    expect(data).toMatchObject({ text: "", attachments: [{ transferName: "a b.txt", totalBytes: 3 }] });
    expect(data).not.toHaveProperty("tempGuid");
    expect(emulator.messages(CHATS.group)).toMatchObject([{ author: "bot", text: "", fileNames: ["a b.txt"] }]);
  });

  it("a first message makes a chat, whose guid is not the message's", async () => {
    const body = { addresses: ["+4915559999999"], message: "Hello", tempGuid: "temp-3" };
    const { data } = await call<{ guid: string; messages: ToldMessage[] }>(emulator, "POST", "chat/new", body);
    expect(data?.guid).toBe("iMessage;-;+4915559999999");
    expect(data?.messages).toMatchObject([{ text: "Hello", tempGuid: "temp-3" }]);
    const two = { ...body, addresses: ["+4915559999999", PEOPLE.ada] };
    expect((await call(emulator, "POST", "chat/new", two)).error?.message).toContain("Cannot create group chats");
  });
});

describe("what a person writes", () => {
  it("webhooks get less of a message than the socket does", async () => {
    const socket = await listen(emulator);
    const hook = await webhook();
    await emulator.receive({ chatId: CHATS.group, text: "Hello", mentions: true });
    await expect.poll(() => hook.events.length).toBe(1);
    const [posted, emitted] = [hook.events[0]?.data, socket.events[0]?.data];
    expect(posted).toMatchObject({ text: "Hermes Hello", isFromMe: false, handle: { address: PEOPLE.ada } });
    expect(posted?.chats).toEqual(
      [{ originalROWID: expect.any(Number), guid: CHATS.group, style: 43, chatIdentifier: expect.any(String) }].map(
        (chat) => ({ ...chat, isArchived: false, displayName: "The team" }),
      ),
    );
    expect(posted).toMatchObject({ attributedBody: null });
    expect(posted).not.toHaveProperty("threadOriginatorPart");
    expect(emitted).toMatchObject({ guid: posted?.guid, threadOriginatorPart: null, chats: [{ guid: CHATS.group }] });
    expect(JSON.stringify(emitted?.attributedBody)).toContain(`"__kIMMentionConfirmedMention":"${PEOPLE.self}"`);
  });

  it("an edit is told to webhooks without a chat, and after an hour as a new message", async () => {
    const hook = await webhook();
    const { messageId } = await emulator.receive({ chatId: CHATS.group, text: "Hello" });
    await emulator.receive({ chatId: CHATS.group, text: "Hello again", editOf: messageId });
    await expect.poll(() => typesOf(hook.events)).toEqual(["new-message", "updated-message"]);
    expect(hook.events[1]?.data).toMatchObject({ guid: messageId, text: "Hello again", dateEdited: clock.now() });
    expect(hook.events[1]?.data).not.toHaveProperty("chats");
    await clock.advance(61 * 60_000);
    await emulator.receive({ chatId: CHATS.group, text: "Goodbye", editOf: messageId });
    await expect.poll(() => hook.events[2]?.type).toBe("new-message");
  });

  it("a message that is taken back keeps its row, without text or parts", async () => {
    const { events } = await listen(emulator);
    const { messageId } = await emulator.receive({ chatId: CHATS.ada, text: "Hello" });
    emulator.retract({ chatId: CHATS.ada, messageId });
    await expect.poll(() => typesOf(events)).toEqual(["new-message", "updated-message"]);
    expect(events[1]?.data).toMatchObject({ text: null, partCount: 0, dateEdited: clock.now(), dateRetracted: null });
    expect(emulator.messages(CHATS.ada)).toEqual([]);
  });

  it("a tapback is a message of its own, whose type is a word", async () => {
    const { events } = await listen(emulator);
    const { data } = await send();
    await emulator.tapback(data?.guid ?? "", "like");
    await expect.poll(() => events.length).toBe(4);
    expect(events[3]?.data).toMatchObject({
      associatedMessageGuid: `p:0/${data?.guid}`,
      associatedMessageType: "like",
      handle: { address: PEOPLE.ada },
      text: "Liked “Hello”",
    });
    expect(emulator.messages(CHATS.ada)).toHaveLength(1);
    expect(emulator.tapbacks(data?.guid ?? "")).toEqual([{ author: PEOPLE.ada, reaction: "like" }]);
  });

  it("a line that says which tapback stands for what can be pressed", async () => {
    const { data } = await send({ message: "Shall I?\n\n👍 Yes, go on\n👎 No" });
    expect(emulator.messages(CHATS.ada)).toMatchObject([{ choices: ["Yes, go on", "No"] }]);
    const pressed = { chatId: CHATS.ada, messageId: data?.guid ?? "" };
    await emulator.press({ ...pressed, label: "No" });
    expect(emulator.tapbacks(pressed.messageId)).toEqual([{ author: PEOPLE.ada, reaction: "dislike" }]);
    await expect(emulator.press({ ...pressed, label: "Perhaps" })).rejects.toThrow(/asks for no tapback for Perhaps/);
  });

  it("a message to oneself comes twice, from both sides", async () => {
    const { events } = await listen(emulator);
    await emulator.receive({ chatId: CHATS.self, text: "Milk" });
    await expect.poll(() => events.map(({ data }) => data.isFromMe)).toEqual([true, false]);
    expect(events[0]?.data.guid).not.toBe(events[1]?.data.guid);
    expect(emulator.messages(CHATS.self)).toHaveLength(1);
    await send({ chatGuid: CHATS.self });
    await expect.poll(() => events.filter(({ data }) => data.text === "Hello" && !data.isFromMe).length).toBe(1);
  });

  it("an own message from another device has the other person as its handle", async () => {
    const { events } = await listen(emulator);
    await emulator.receive({ chatId: CHATS.ada, text: "From my phone", isOwn: true });
    await emulator.receive({ chatId: CHATS.group, text: "To all", isOwn: true });
    await expect.poll(() => events.length).toBe(2);
    expect(events[0]?.data).toMatchObject({ isFromMe: true, handle: { address: PEOPLE.ada } });
    expect(events[1]?.data).toMatchObject({ isFromMe: true, handle: null, handleId: 0 });
  });

  it("a file comes with its message, and can be read as it was", async () => {
    const content = Buffer.from([0, 1, 255]);
    const files = [{ name: "cat.heic", mediaType: "image/heic", content }];
    const { messageId } = await emulator.receive({ chatId: CHATS.ada, text: "Look", files });
    const { data } = await call(emulator, "GET", `message/${messageId}?with=attachments`);
    expect(data).toMatchObject({ text: "Look", attachments: [{ mimeType: "image/heic", totalBytes: 3 }] });
    const read = async (more: string) => {
      const password = encodeURIComponent(emulator.options.password);
      const address = `${emulator.url}/api/v1/attachment/${data?.attachments[0]?.guid}/download?password=${password}`;
      const response = await fetch(`${address}${more}`);
      return [response.headers.get("content-type"), (await response.bytes()).length];
    };
    expect(await read("&original=true")).toEqual(["image/heic", 3]);
    expect(await read("")).toEqual(["image/jpeg", expect.any(Number)]);
  });

  it("a file may be linked to its message only after the event", async () => {
    emulator.setMac({ linksAttachmentsLate: true });
    const { events } = await listen(emulator);
    const files = [{ name: "a.txt", mediaType: "text/plain", content: "one" }];
    const { messageId } = await emulator.receive({ chatId: CHATS.ada, text: "", files });
    await expect.poll(() => events.map(({ data }) => data.attachments)).toEqual([[]]);
    await clock.advance(2_000);
    const { data } = await call(emulator, "GET", `message/${messageId}?with=attachments`);
    expect(data?.attachments).toHaveLength(1);
  });

  it("changes of a group are told under their own names, and as messages", async () => {
    const { events } = await listen(emulator);
    emulator.changeGroup(CHATS.group, { is: "rename", name: "The crew" });
    emulator.changeGroup(CHATS.group, { is: "leave", address: PEOPLE.grace });
    const types = ["group-name-change", "new-message", "participant-left", "new-message"];
    await expect.poll(() => typesOf(events)).toEqual(types);
    expect(events[0]?.data).toMatchObject({ itemType: 2, groupTitle: "The crew", text: null });
    expect(events[2]?.data.chats?.[0]?.participants).toHaveLength(1);
  });
});

describe("events that go wrong", () => {
  it.each([
    ["redeliver", ["one", "one", "two"]],
    ["out-of-order", ["two", "one"]],
    ["lose", ["two"]],
  ] as const)("an event can %s", async (is, told) => {
    const { events } = await listen(emulator);
    emulator.fail({ operation: "deliver", kind: { is } });
    for (const one of ["one", "two"]) await emulator.receive({ chatId: CHATS.ada, text: one });
    await expect.poll(() => events.map(({ data }) => data.text)).toEqual(told);
    const { data } = await call<ToldMessage[]>(emulator, "POST", "message/query", { sort: "ASC" });
    expect(data?.map((row) => row.text)).toEqual(["one", "two"]);
  });
});

describe("the Mac", () => {
  it("a message written during a restart is in the history, and told by no event", async () => {
    const { socket } = await listen(emulator);
    const closed = new Promise((done) => socket.addEventListener("close", done));
    emulator.setMac({ power: "restarting" });
    await closed;
    await expect(call(emulator, "GET", "ping")).rejects.toThrow();
    await emulator.receive({ chatId: CHATS.ada, text: "Anybody?" });
    emulator.setMac({ power: "on" });
    const { events } = await listen(emulator);
    const { data } = await call<ToldMessage[]>(emulator, "POST", "message/query", { with: ["chat"] });
    expect(data).toMatchObject([{ text: "Anybody?", chats: [{ guid: CHATS.ada }] }]);
    expect(events).toEqual([]);
  });

  it("a message written while the Mac sleeps comes when it wakes, with its own time", async () => {
    const { events } = await listen(emulator);
    emulator.setMac({ power: "asleep" });
    const writtenAt = clock.now();
    await emulator.receive({ chatId: CHATS.ada, text: "Anybody?" });
    const asked = call(emulator, "GET", "ping");
    await clock.advance(60_000);
    expect(events).toEqual([]);
    emulator.setMac({ power: "on" });
    expect((await asked).status).toBe(200);
    await expect.poll(() => events.map(({ data }) => data.dateCreated)).toEqual([writtenAt]);
  });

  it("a signed-out Mac sends nothing, and gets what was written once it is signed in", async () => {
    const { events } = await listen(emulator);
    emulator.setMac({ isSignedIn: false });
    expect(await send()).toMatchObject({ status: 500, message: "Message Send Error" });
    await emulator.receive({ chatId: CHATS.ada, text: "Anybody?" });
    expect(events).toEqual([]);
    emulator.setMac({ isSignedIn: true });
    await expect.poll(() => typesOf(events)).toEqual(["new-message"]);
  });

  it("a deaf server answers, and tells of nothing", async () => {
    const { events } = await listen(emulator);
    emulator.setMac({ isDeaf: true });
    await emulator.receive({ chatId: CHATS.ada, text: "Anybody?" });
    const { data } = await call<ToldMessage[]>(emulator, "POST", "message/query", {});
    expect(data).toHaveLength(1);
    expect(events).toEqual([]);
  });
});

describe("the private API", () => {
  it.each([
    [{ privateApi: false }, "iMessage Private API is not enabled!"],
    [{ helperConnected: false }, "iMessage Private API Helper is not connected!"],
  ])("tapbacks, edits and typing are refused with %j", async (state, words) => {
    const { data } = await send();
    emulator.setMac(state);
    for (const [method, path] of [
      ["POST", "message/react"],
      ["POST", `message/${data?.guid}/edit`],
      ["POST", `message/${data?.guid}/unsend`],
      ["POST", `chat/${encodeURIComponent(CHATS.ada)}/typing`],
    ] as const) {
      const { status, error } = await call(emulator, method, path, {});
      expect([status, error]).toEqual([500, { type: "iMessage Error", message: words }]);
    }
    const info = await call<object>(emulator, "GET", "server/info");
    expect(info.data).toMatchObject({ private_api: !("privateApi" in state), helper_connected: false });
  });

  it("an own message can be changed five times; afterwards it comes back as it was", async () => {
    const { data } = await send();
    const edit = (words: string) => {
      const body = { editedMessage: words, backwardsCompatibilityMessage: words };
      return call(emulator, "POST", `message/${data?.guid}/edit`, body);
    };
    for (const word of ["1", "2", "3", "4", "5"]) expect((await edit(word)).data?.text).toBe(word);
    const late = edit("6");
    await expect
      .poll(async () => {
        await clock.advance(30_000);
        return Promise.race([late.then(({ data: shown }) => shown?.text), new Promise((done) => setTimeout(done, 50))]);
      })
      .toBe("5");
    expect(emulator.messages(CHATS.ada)).toMatchObject([{ text: "5", isEdited: true }]);
  });

  it("an own message can be taken back, and get a tapback", async () => {
    const { data } = await send();
    const body = { chatGuid: CHATS.ada, selectedMessageGuid: data?.guid, reaction: "love" };
    expect((await call(emulator, "POST", "message/react", body)).data).toMatchObject({ associatedMessageType: "love" });
    expect((await call(emulator, "POST", "message/react", { ...body, reaction: "👀" })).status).toBe(400);
    expect((await call(emulator, "POST", `message/${data?.guid}/unsend`, {})).data).toMatchObject({ partCount: 0 });
    expect(emulator.messages(CHATS.ada)).toEqual([]);
  });
});

describe("the history", () => {
  it("`after` includes its time, and looks at nothing but when a message was written", async () => {
    const { messageId } = await emulator.receive({ chatId: CHATS.ada, text: "old" });
    await clock.advance(1_000);
    const after = clock.now();
    await emulator.receive({ chatId: CHATS.ada, text: "new" });
    await emulator.receive({ chatId: CHATS.ada, text: "edited", editOf: messageId });
    const query = (more: object) => call<ToldMessage[]>(emulator, "POST", "message/query", { sort: "ASC", ...more });
    expect((await query({ after })).data?.map((row) => row.text)).toEqual(["new"]);
    const { data, metadata } = await query({ limit: 1, offset: 1 });
    expect(data?.map((row) => row.text)).toEqual(["new"]);
    expect(metadata).toEqual({ offset: 1, limit: 1, total: 2, count: 1 });
    const where = [{ statement: "message.ROWID > :row", args: { row: data?.[0]?.originalROWID } }];
    expect((await query({ where })).data).toEqual([]);
    expect(await query({ limit: 1_001 })).toMatchObject({ status: 400 });
    expect(await query({ chatGuid: "iMessage;-;nobody" })).toMatchObject({ status: 200, data: [] });
  });

  it("a chat is found by its exact guid alone", async () => {
    const find = (guid: string) => call(emulator, "GET", `chat/${encodeURIComponent(guid)}?with=participants`);
    expect((await find(CHATS.group)).data).toMatchObject({ displayName: "The team", participants: [{}, {}] });
    expect(await find(`SMS;-;${PEOPLE.ada}`)).toMatchObject({ status: 404, error: { type: "Database Error" } });
    const { data } = await call<unknown[]>(emulator, "POST", "chat/query", { with: ["lastmessage"], limit: 2 });
    expect(data).toHaveLength(2);
  });
});

describe("a webhook", () => {
  it("an address that is known already keeps its old events", async () => {
    const { url } = await webhook(["new-message"]);
    const again = await call<object>(emulator, "POST", "webhook", { url, events: ["*"] });
    expect(again.data).toMatchObject({ id: 1, url, events: ["new-message"] });
    expect(await call(emulator, "POST", "webhook", { url: `${url}2`, events: ["new-post"] })).toMatchObject({
      status: 400,
    });
    expect((await call(emulator, "DELETE", "webhook/1")).status).toBe(200);
    expect((await call(emulator, "GET", "webhook")).data).toEqual([]);
  });

  it("nothing is sent again that nobody took", async () => {
    const gone = "http://127.0.0.1:9/hook";
    await call(emulator, "POST", "webhook", { url: gone, events: ["new-message"] });
    await emulator.receive({ chatId: CHATS.ada, text: "one" });
    await expect.poll(() => emulator.isConnected).toBe(false);
  });
});

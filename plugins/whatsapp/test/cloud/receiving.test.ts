import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { CLOUD_CHATS } from "../../emulator/index.ts";
import { at, until } from "../harness.ts";
import { type RunningCloud, startCloud } from "../running-cloud.ts";

const { ada: ADA, bob: BOB } = CLOUD_CHATS;

let cloud: RunningCloud;
afterEach(() => cloud[Symbol.asyncDispose]());

function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(cloud.webhookUrl, { method: "POST", body: new Uint8Array(Buffer.from(body)), headers });
}

function sign(body: string | Buffer): Record<string, string> {
  const hex = createHmac("sha256", cloud.emulator.options.appSecret).update(body).digest("hex");
  return { "x-hub-signature-256": `sha256=${hex}` };
}

function payload(messages: readonly object[], phoneNumberId = "106540352242922", more: object = {}): string {
  const value = { messaging_product: "whatsapp", metadata: { phone_number_id: phoneNumberId }, messages, ...more };
  return JSON.stringify({ object: "whatsapp_business_account", entry: [{ changes: [{ field: "messages", value }] }] });
}

const hello = { from: ADA, id: "wamid.1", timestamp: "1700000000", type: "text", text: { body: "Grüße 🙂" } };

describe("a webhook", () => {
  it("refuses an unsigned webhook, which starts nothing", async () => {
    cloud = await startCloud();
    expect((await post(payload([hello]))).status).toBe(403);
    expect(cloud.received).toEqual([]);
  });

  it("a webhook with a wrong signature is refused", async () => {
    cloud = await startCloud();
    const body = payload([hello]);
    expect((await post(body, { "x-hub-signature-256": `sha256=${"0".repeat(64)}` })).status).toBe(403);
    expect((await post(body, { "x-hub-signature-256": "sha256=short" })).status).toBe(403);
    expect((await post(`${body} `, sign(body))).status).toBe(403);
    expect(cloud.received).toEqual([]);
  });

  it("a signature is checked over the raw bytes of the webhook", async () => {
    cloud = await startCloud();
    const body = payload([hello]).replace("ü", "\\u00fc").replaceAll(":", " : ");
    expect((await post(body, sign(body))).status).toBe(200);
    expect(cloud.received).toMatchObject([{ text: "Grüße 🙂", messageId: "wamid.1", sentAt: 1_700_000_000_000 }]);
  });

  it("acknowledges and ignores a webhook for another number or about something else", async () => {
    cloud = await startCloud();
    const other = payload([hello], "999999999");
    expect((await post(other, sign(other))).status).toBe(200);
    cloud.emulator.deliver("account_update", { event: "VERIFIED_ACCOUNT" });
    await cloud.emulator.receive({ chatId: ADA, text: "Hello" });
    await until(() => cloud.received.length > 0);
    expect(cloud.received).toMatchObject([{ text: "Hello" }]);
  });

  it("answers a webhook that is no JSON, too large or sent elsewhere accordingly", async () => {
    cloud = await startCloud();
    expect((await post("{", sign("{"))).status).toBe(400);
    expect((await post(Buffer.alloc(5 * 1024 * 1024))).status).toBe(413);
    expect((await fetch(new URL("/elsewhere", cloud.webhookUrl), { method: "POST" })).status).toBe(404);
    expect((await fetch(cloud.webhookUrl, { method: "DELETE" })).status).toBe(405);
  });

  it("answers a signed webhook without sense, which delays nothing else", async () => {
    cloud = await startCloud();
    for (const body of [
      "[]",
      '"text"',
      '{"entry":null}',
      '{"entry":[null,{"changes":{}},{"changes":[{"field":"messages"}]}]}',
    ]) {
      expect((await post(body, sign(body))).status).toBe(body === '"text"' ? 400 : 200);
    }
    const odd = [null, 7, { ...hello, id: "wamid.0", text: { body: { not: "a text" } } }, { ...hello, from: 49 }];
    const body = payload([...odd, hello] as object[], undefined, { contacts: {}, statuses: [null, {}] });
    expect((await post(body, sign(body))).status).toBe(200);
    expect(cloud.received.map(({ messageId }) => messageId)).toEqual(["wamid.1"]);
  });

  it("hands over each of several messages in one webhook", async () => {
    cloud = await startCloud();
    const body = payload([hello, { ...hello, id: "wamid.2" }]);
    expect((await post(body, sign(body))).status).toBe(200);
    expect(cloud.received.map(({ messageId }) => messageId)).toEqual(["wamid.1", "wamid.2"]);
  });

  it("a message does not wait for the refusals that came with it, and Meta does", async () => {
    cloud = await startCloud();
    const ids = Array.from({ length: 30 }, (_, n) => `wamid.sent.${n}`);
    const statuses = ids.map((id) => ({ id, status: "failed", errors: [{ code: 131026 }] }));
    const body = payload([hello], undefined, { statuses });
    const acknowledged: number[] = [];
    const posted = post(body, sign(body)).then(({ status }) => acknowledged.push(status));
    await until(() => cloud.received.length === 1 && cloud.settled.length === 30);
    expect(acknowledged).toEqual([]);
    await cloud.clock.advance(2_000);
    await posted;
    expect(acknowledged).toEqual([200]);
    expect(cloud.settled.map(({ messageId }) => messageId)).toEqual([...ids, ...ids]);
  });

  it("acknowledges a webhook once Hermes kept the message; else it is sent again", async () => {
    cloud = await startCloud();
    let failures = 1;
    cloud.onReceive = async () => {
      if (failures-- > 0) throw new Error("no room");
    };
    await cloud.emulator.receive({ chatId: ADA, text: "Keep this" });
    await until(() => cloud.received.length === 2);
    expect(new Set(cloud.received.map(({ messageId }) => messageId)).size).toBe(1);
  });
});

describe("the handshake at which Meta checks the callback URL", () => {
  const ask = (query: Record<string, string>) => fetch(`${cloud.webhookUrl}?${new URLSearchParams(query)}`);

  it("needs no signature, and is answered with the challenge where the word is right", async () => {
    cloud = await startCloud();
    const { verifyToken } = cloud.emulator.options;
    const right = { "hub.mode": "subscribe", "hub.verify_token": verifyToken, "hub.challenge": "<b>1158201444</b>" };
    const response = await ask(right);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("<b>1158201444</b>");
    expect(response.headers.get("content-type")).toContain("text/plain");
    expect((await ask({ ...right, "hub.verify_token": "wrong" })).status).toBe(403);
    expect((await ask({ ...right, "hub.mode": "unsubscribe" })).status).toBe(403);
    expect((await ask({})).status).toBe(403);
  });
});

describe("a message", () => {
  it("WhatsApp's formatting becomes Markdown, and /Title is a command", async () => {
    cloud = await startCloud();
    await cloud.emulator.receive({ chatId: ADA, text: "*Bold* and `code`" });
    await cloud.emulator.receive({ chatId: ADA, text: "/Title My plan" });
    await until(() => cloud.received.length === 2);
    expect(cloud.received.map(({ text }) => text)).toEqual(["**Bold** and `code`", "/title My plan"]);
    expect(cloud.received[0]).toMatchObject({
      conversation: at(ADA),
      sender: { aliases: [ADA], name: "Ada", person: { key: ADA } },
      chatName: "Ada",
    });
  });

  it("ignores an echo of the business's own message from its app", async () => {
    cloud = await startCloud();
    await cloud.emulator.receive({ chatId: ADA, text: "From the app", isOwn: true });
    cloud.emulator.deliver("messages", { messages: [{ ...hello, from: "15550783881" }] });
    await cloud.emulator.receive({ chatId: ADA, text: "From Ada" });
    await until(() => cloud.received.length > 0);
    expect(cloud.received.map(({ text }) => text)).toEqual(["From Ada"]);
  });

  it("a message in a group is passed over: the Cloud API's groups are not served", async () => {
    cloud = await startCloud();
    cloud.emulator.deliver("messages", { messages: [{ ...hello, group_id: "Z3JvdXA6MTIz" }] });
    await cloud.emulator.receive({ chatId: ADA, text: "Hello" });
    await until(() => cloud.received.some(({ text }) => text === "Hello"));
    expect(cloud.received).toHaveLength(1);
  });

  it("a message of nothing but spaces says nothing", async () => {
    cloud = await startCloud();
    const body = payload([{ ...hello, id: "wamid.0", text: { body: " \n " } }, hello]);
    expect((await post(body, sign(body))).status).toBe(200);
    expect(cloud.received.map(({ messageId }) => messageId)).toEqual(["wamid.1"]);
  });

  it("a changed message comes as an edit of the original", async () => {
    cloud = await startCloud();
    const { messageId } = await cloud.emulator.receive({ chatId: ADA, text: "Helo" });
    await cloud.emulator.receive({ chatId: ADA, text: "Hello", editOf: messageId });
    await until(() => cloud.received.length === 2);
    expect(cloud.received[1]).toMatchObject({ messageId, text: "Hello", isEdit: true });
  });

  it.each([
    ["a button", { type: "button", button: { text: "Yes" } }, "Yes"],
    ["a choice", { type: "interactive", interactive: { list_reply: { title: "Two" } } }, "Two"],
  ])("reads a message that is %s", async (_, content, text) => {
    cloud = await startCloud();
    cloud.emulator.deliver("messages", { messages: [{ ...hello, text: undefined, ...content }] });
    await until(() => cloud.received.length > 0);
    expect(cloud.received[0]?.text).toBe(text);
  });

  it("hands over places and contacts as data", async () => {
    cloud = await startCloud();
    const location = { latitude: 41.9, longitude: 12.5, name: "Rome" };
    const contacts = [{ name: { formatted_name: "Bob" }, phones: [{ phone: "+47 1" }] }];
    const kinds = [
      { type: "location", location },
      { type: "contacts", contacts },
    ];
    const messages = kinds.map((kind, at) => ({ ...hello, text: undefined, id: `wamid.${at}`, ...kind }));
    cloud.emulator.deliver("messages", { messages });
    await until(() => cloud.received.length === 2);
    expect(cloud.received.map(({ text, items }) => ({ text, items }))).toEqual([
      { text: "", items: [{ kind: "place", ...location, address: undefined }] },
      { text: "", items: [{ kind: "contact", name: "Bob", addresses: ["+47 1"] }] },
    ]);
  });

  it.each([
    ["an order", { type: "order" }, "order"],
    ["a form", { type: "interactive", interactive: { type: "nfm_reply", nfm_reply: { name: "flow" } } }, "form"],
    ["a sticker", { type: "sticker", sticker: { id: "1" } }, "sticker"],
    ["what WhatsApp keeps to itself", { type: "unsupported" }, "other"],
  ])("reports %s as unreadable", async (_, content, unreadable) => {
    cloud = await startCloud();
    cloud.emulator.deliver("messages", { messages: [{ ...hello, text: undefined, ...content }] });
    await until(() => cloud.received.length > 0);
    expect(cloud.received[0]).toMatchObject({ text: "", unreadable });
  });

  it("names what a message answers by its id, and whether the bot wrote it", async () => {
    cloud = await startCloud();
    const first = await cloud.emulator.receive({ chatId: ADA, text: "One" });
    await cloud.emulator.receive({ chatId: ADA, text: "Two", replyTo: first.messageId });
    await cloud.emulator.receive({ chatId: ADA, text: "Three", replyTo: "wamid.of-the-bot" });
    await until(() => cloud.received.length === 3);
    expect(cloud.received.map(({ refersTo }) => refersTo)).toMatchObject([
      ...[undefined, { messageId: first.messageId, writer: { id: cloud.received[0]?.sender.id } }],
      { messageId: "wamid.of-the-bot", isOwn: true },
    ]);
  });

  it("reports a message that its writer revoked", async () => {
    cloud = await startCloud();
    const { messageId } = await cloud.emulator.receive({ chatId: ADA, text: "One" });
    cloud.emulator.retract({ chatId: ADA, messageId });
    await until(() => cloud.retracted.length === 1);
    expect(cloud.retracted).toEqual([{ messageId, by: cloud.received[0]?.sender.id }]);
  });

  it("a reaction starts nothing", async () => {
    cloud = await startCloud();
    cloud.emulator.deliver("messages", {
      messages: [{ ...hello, text: undefined, type: "reaction", reaction: { emoji: "👍" } }],
    });
    await cloud.emulator.receive({ chatId: ADA, text: "Hello" });
    await until(() => cloud.received.length > 0);
    expect(cloud.received).toHaveLength(1);
  });

  it("a text file arrives with its text, another with name and size", async () => {
    cloud = await startCloud();
    const notes = { name: "notes.md", mediaType: "text/markdown", content: "# Grüße" };
    await cloud.emulator.receive({ chatId: ADA, text: "See", files: [notes] });
    await cloud.emulator.receive({
      chatId: ADA,
      text: "",
      files: [{ name: "p.png", mediaType: "image/png", content: "PNG" }],
    });
    await until(() => cloud.received.length === 2);
    expect(cloud.received.map(({ text, attachments }) => ({ text, attachments }))).toEqual([
      { text: "See", attachments: [{ name: "notes.md", mediaType: "text/markdown", size: 9, text: "# Grüße" }] },
      { text: "", attachments: [{ name: "photo.jpg", mediaType: "application/octet-stream", size: 3 }] },
    ]);
  });

  it("a file forwarded without a word says that it was forwarded", async () => {
    cloud = await startCloud();
    const files = [{ name: "notes.md", mediaType: "text/markdown", content: "Go." }];
    await cloud.emulator.receive({ chatId: ADA, text: "", files, forwarded: { from: "Grace" } });
    await until(() => cloud.received.length > 0);
    expect(cloud.received[0]).toMatchObject({ text: "", quotes: [{ kind: "forward", text: "" }] });
  });

  it("a forwarded message that was edited is still somebody else's words", async () => {
    cloud = await startCloud();
    const edit = { original_message_id: "wamid.1", message: { type: "text", text: { body: "/new" } } };
    const context = { forwarded: true };
    cloud.emulator.deliver("messages", {
      messages: [{ id: "wamid.2", from: ADA, timestamp: "1", type: "edit", context, edit }],
    });
    await until(() => cloud.received.length > 0);
    expect(cloud.received[0]).toMatchObject({ text: "", quotes: [{ kind: "forward", text: "/new" }] });
  });

  it("a message arrives even if its file cannot be downloaded", async () => {
    cloud = await startCloud();
    cloud.emulator.fail({ operation: "media", times: 3, kind: { is: "break" } });
    const notes = { name: "notes.md", mediaType: "text/markdown", content: "# Notes" };
    await cloud.emulator.receive({ chatId: ADA, text: "See", files: [notes] });
    const isReceived = async () => {
      await cloud.clock.advance(1_000);
      return cloud.received.length > 0;
    };
    await expect.poll(isReceived, { timeout: 20_000 }).toBe(true);
    expect(cloud.received[0]?.attachments).toEqual([
      { name: "notes.md", mediaType: "text/markdown", size: 0, isLost: true },
    ]);
  });
});

describe("a person", () => {
  it("a person who begins to hide the number goes on in the same conversation", async () => {
    cloud = await startCloud();
    await cloud.emulator.receive({ chatId: ADA, text: "With a number" });
    await until(() => cloud.received.length === 1);
    cloud.emulator.world.person(ADA).hidesNumber = true;
    await cloud.restart();
    await cloud.emulator.receive({ chatId: ADA, text: "Without" });
    await until(() => cloud.received.length === 2);
    const [first, second] = cloud.received;
    expect(second?.conversation).toEqual(first?.conversation);
    expect(second?.sender).toMatchObject({ id: expect.stringMatching(/^DE\.\d+$/), aliases: [ADA] });
  });

  it("a person who always hid the number is reached by the id that hides it", async () => {
    cloud = await startCloud({}, (emulator) => {
      emulator.world.person(BOB).hidesNumber = true;
    });
    await cloud.emulator.receive({ chatId: BOB, text: "Hello" });
    await until(() => cloud.received.length === 1);
    const [{ conversation } = { conversation: at("") }] = cloud.received;
    expect(conversation.chatId).toMatch(/^DE\.\d+$/);
    await cloud.adapter.send(conversation, { text: "Hello Bob" }, { key: "k", signal: new AbortController().signal });
    expect(cloud.calls("POST messages")[0]).toMatchObject({ recipient: conversation.chatId });
    expect(cloud.emulator.messages(BOB).at(-1)?.text).toBe("Hello Bob");
  });

  it("a person with another number is followed: same conversation, new address", async () => {
    cloud = await startCloud();
    await cloud.emulator.receive({ chatId: ADA, text: "Hello" });
    await until(() => cloud.received.length === 1);
    cloud.emulator.changeNumber(ADA, "491709999999");
    await cloud.emulator.receive({ chatId: ADA, text: "New phone" });
    await until(() => cloud.received.length === 2);
    expect(cloud.received[1]?.conversation.chatId).toBe(ADA);
    await cloud.adapter.send(at(ADA), { text: "Hi" }, { key: "k", signal: new AbortController().signal });
    expect(cloud.calls("POST messages")[0]).toMatchObject({ to: "491709999999" });
  });
});

import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import { CannotEmulate } from "@hermes/emulator";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../test/harness.ts";
import { CLOUD_CHATS, startWhatsAppCloudEmulator, type WhatsAppCloudEmulator } from "./cloud-emulator.ts";

const { ada: ADA, bob: BOB } = CLOUD_CHATS;

interface Taken {
  readonly body: string;
  readonly signature: string | undefined;
}

let emulator: WhatsAppCloudEmulator;
let endpoint: Server;
let taken: Taken[];
let challenges: number;
let status: number;
let mayAnswer: (body: string) => Promise<void> | undefined;

beforeEach(async () => {
  taken = [];
  challenges = 0;
  status = 200;
  mayAnswer = () => undefined;
  emulator = await startWhatsAppCloudEmulator();
  endpoint = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://endpoint");
    if (request.method === "GET") {
      challenges++;
      response.end(searchParams.get("hub.challenge"));
      return;
    }
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const signature = request.headers["x-hub-signature-256"];
    taken.push({ body, signature: typeof signature === "string" ? signature : undefined });
    await mayAnswer(body);
    response.writeHead(status).end();
  });
  const { port } = emulator.options.webhook;
  await new Promise<void>((resolve) => endpoint.listen(port, "127.0.0.1", resolve));
  await until(() => emulator.isConnected);
});
afterEach(async () => {
  await emulator.close();
  endpoint.closeAllConnections();
  await new Promise((resolve) => endpoint.close(resolve));
});

async function post(
  body: object,
  token: string = emulator.options.accessToken,
): Promise<{ status: number; code?: number; id?: string }> {
  const { graphUrl, phoneNumberId } = emulator.options;
  const response = await fetch(`${graphUrl}/${phoneNumberId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ messaging_product: "whatsapp", to: ADA, ...body }),
  });
  const answer = (await response.json()) as { error?: { code: number }; messages?: { id: string }[] };
  return { status: response.status, code: answer.error?.code, id: answer.messages?.[0]?.id };
}

const text = (body: string) => ({ type: "text", text: { body } });

const reply = (title: string, id = title) => ({ type: "reply", reply: { id, title } });
const question = (buttons: readonly object[], body = "Shall I?") => ({
  type: "interactive",
  interactive: { type: "button", body: { text: body }, action: { buttons } },
});

describe("the emulated Cloud API", () => {
  it("refuses buttons that are too many, too long or alike, and long texts above them", async () => {
    for (const refused of [
      question([]),
      question(["1", "2", "3", "4"].map((title) => reply(title))),
      question([reply("x".repeat(21))]),
      question([reply("")]),
      question([reply("Yes", "x".repeat(257))]),
      question([reply("Yes", "a"), reply("Yes", "b")]),
      question([reply("Yes", "a"), reply("No", "a")]),
      question([reply("Yes")], "x".repeat(1_025)),
      question([reply("Yes")], ""),
      question([{ type: "url", url: "https://a.b" }]),
    ]) {
      expect(await post(refused)).toMatchObject({ status: 400, code: 131009 });
    }
    expect(await post({ type: "interactive", interactive: { type: "list" } })).toMatchObject({ code: 131051 });
    const fitting = question([reply("x".repeat(20), "x".repeat(256))], "x".repeat(1_024));
    expect(await post(fitting)).toMatchObject({ status: 200 });
  });

  it("tells of a pressed button by its id and the message that it stands below", async () => {
    const { id = "" } = await post(question([reply("Yes", "q1.yes"), reply("No", "q1.no")]));
    await emulator.press({ chatId: ADA, messageId: id, label: "No" });
    await until(() => taken.some(({ body }) => body.includes("button_reply")));
    const body = taken.find((one) => one.body.includes("button_reply"))?.body ?? "";
    expect(JSON.parse(body).entry[0].changes[0].value.messages).toMatchObject([
      {
        ...{ from: ADA, type: "interactive", context: { from: "15550783881", id } },
        interactive: { type: "button_reply", button_reply: { id: "q1.no", title: "No" } },
      },
    ]);
    expect(emulator.messages(ADA).at(-1)).toMatchObject({ author: ADA, text: "No" });
    await expect(emulator.press({ chatId: ADA, messageId: id, label: "Maybe" })).rejects.toThrow(CannotEmulate);
    const byBob = { chatId: ADA, messageId: id, label: "No", userId: BOB };
    await expect(emulator.press(byBob)).rejects.toThrow(CannotEmulate);
  });

  it("shakes hands first, and signs the bytes of every webhook", async () => {
    expect(challenges).toBe(1);
    await emulator.receive({ chatId: ADA, text: "Grüße" });
    await until(() => taken.length === 1);
    const [{ body, signature } = { body: "", signature: "" }] = taken;
    const hex = createHmac("sha256", emulator.options.appSecret).update(body).digest("hex");
    expect(signature).toBe(`sha256=${hex}`);
    expect(body).toContain("Grüße");
  });

  it("a message waits for the one before it of the same person alone", async () => {
    const slow = Promise.withResolvers<void>();
    mayAnswer = (body) => (body.includes("Slow") ? slow.promise : undefined);
    await emulator.receive({ chatId: ADA, text: "Slow" });
    await emulator.receive({ chatId: ADA, text: "Behind it" });
    await emulator.receive({ chatId: BOB, text: "Meanwhile" });
    await emulator.receive({ chatId: BOB, text: "And then" });
    const order = () => taken.map(({ body }) => /Slow|Behind it|Meanwhile|And then/.exec(body)?.[0]);
    await until(() => taken.length === 3);
    expect(order()).not.toContain("Behind it");
    slow.resolve();
    await until(() => taken.length === 4);
    expect(order().at(-1)).toBe("Behind it");
  });

  it("sends a webhook again until it is taken", async () => {
    status = 500;
    await emulator.receive({ chatId: ADA, text: "Hello" });
    await until(() => taken.length === 3);
    status = 200;
    const before = taken.length;
    await until(() => taken.length > before);
    expect(new Set(taken.map(({ body }) => body)).size).toBe(1);
  });

  it("reports what became of a message, with what was given along", async () => {
    const { id } = await post({ ...text("Hi"), biz_opaque_callback_data: "key-1" });
    await until(() => taken.length === 2);
    expect(taken.map(({ body }) => JSON.parse(body).entry[0].changes[0].value.statuses[0])).toMatchObject([
      { id, status: "sent", biz_opaque_callback_data: "key-1" },
      { id, status: "delivered" },
    ]);
  });

  it.each([
    ["refuses a wrong token", text("Hi"), "EAAwrong", { status: 401, code: 190 }],
    ["an empty text", text(" "), undefined, { status: 400, code: 131008 }],
    ["a text that is too long", text("x".repeat(4_097)), undefined, { status: 400, code: 100 }],
    ["a kind that is not there", { type: "poll" }, undefined, { status: 400, code: 131051 }],
    [
      "a file that was never uploaded",
      { type: "document", document: { id: "1" } },
      undefined,
      { status: 400, code: 131009 },
    ],
    [
      "a template that is not there",
      { type: "template", template: { name: "x", language: { code: "en" } } },
      undefined,
      { status: 404, code: 132001 },
    ],
    ["another product", { ...text("Hi"), messaging_product: "messenger" }, undefined, { status: 400, code: 100 }],
  ])("refuses %s", async (_, body, token, refusal) => {
    expect(await post(body, token)).toMatchObject(refusal);
    expect(emulator.messages(ADA)).toEqual([]);
  });

  it("refuses a template with a wrong number of variables or line breaks in them", async () => {
    emulator.world.templates.push({ name: "note", language: "en", body: "For you: {{1}}." });
    const template = (...texts: string[]) => ({
      type: "template",
      template: {
        name: "note",
        language: { code: "en" },
        components: [{ type: "body", parameters: texts.map((one) => ({ type: "text", text: one })) }],
      },
    });
    expect(await post(template())).toMatchObject({ code: 132000 });
    expect(await post(template("two\nlines"))).toMatchObject({ code: 132018 });
    expect(await post(template("one line"))).toMatchObject({ status: 200 });
    expect(emulator.messages(ADA).map((message) => message.text)).toEqual(["For you: one line."]);
  });

  it("the emulator says that it has no threads, failing edits or bots", async () => {
    expect(() => emulator.removeThread(ADA, "thread")).toThrow(CannotEmulate);
    expect(() => emulator.fail({ operation: "edit", kind: { is: "break" } })).toThrow(CannotEmulate);
    await expect(emulator.receive({ chatId: ADA, text: "Beep", isBot: true })).rejects.toThrow(CannotEmulate);
  });

  it("keeps every token out of its log", async () => {
    await post(text("Hi"));
    const { accessToken, appSecret, verifyToken } = emulator.options;
    for (const secret of [accessToken, appSecret, verifyToken]) {
      expect(JSON.stringify(emulator.log)).not.toContain(secret);
    }
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLOUD_CHATS } from "../../emulator/index.ts";
import { at, sending, until } from "../harness.ts";
import { type RunningCloud, startCloud } from "../running-cloud.ts";
import { BYTES, kept, png } from "../some-files.ts";

const { ada: ADA } = CLOUD_CHATS;
const PDF = Buffer.concat([Buffer.from("%PDF-1.7\n"), BYTES]);

let cloud: RunningCloud;
beforeEach(async () => {
  cloud = await startCloud();
});
afterEach(() => cloud[Symbol.asyncDispose]());

function send(name: string, mediaType: string, content: Uint8Array, text = "") {
  return cloud.adapter.send(at(ADA), { text, file: kept(name, mediaType, content) }, { ...sending(), content });
}

const files = () => cloud.emulator.messages(ADA).flatMap((message) => message.files ?? []);

describe("a file", () => {
  it("a document arrives byte for byte, with its caption in the same message", async () => {
    await send("Bericht für Ada.pdf", "application/pdf", PDF, "*The* report");
    const [message, ...others] = cloud.emulator.messages(ADA);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ text: "The report", fileNames: ["Bericht für Ada.pdf"] });
    expect(message?.files).toMatchObject([{ mediaType: "application/pdf" }]);
    expect(Buffer.from(files()[0]?.content ?? []).equals(PDF)).toBe(true);
  });

  it("a picture that WhatsApp shows is sent as a picture", async () => {
    const content = png(40, 30);
    await send("chart.png", "image/png", content, "Up");
    expect(cloud.emulator.messages(ADA)).toMatchObject([{ text: "Up", raw: { type: "image" } }]);
    expect(files()).toMatchObject([{ mediaType: "image/png", isPicture: true, content }]);
  });

  it("a text file goes out as plain text under its own name", async () => {
    await send("data.csv", "text/csv", Buffer.from("ä,b\n1,2\n"));
    expect(files()).toMatchObject([{ name: "data.csv", mediaType: "text/plain" }]);
  });

  it("a file's name has no line breaks", async () => {
    await send("a\n\u202eb/plan.pdf", "application/pdf", PDF);
    expect(files()).toMatchObject([{ name: "plan.pdf" }]);
  });

  it("a file that a business number cannot send is refused before any upload", async () => {
    await expect(send("all.zip", "application/zip", BYTES)).rejects.toMatchObject({
      code: "PLATFORM_REJECTED",
      message: expect.stringContaining("cannot send .zip files"),
      retryable: false,
    });
    expect(cloud.calls("POST media")).toEqual([]);
    expect(files()).toEqual([]);
  });

  it("a file whose upload failed left nothing, and may be sent again", async () => {
    cloud.emulator.fail({ operation: "upload", kind: { is: "break" } });
    await expect(send("a.pdf", "application/pdf", PDF)).rejects.toMatchObject({ retryable: true });
    await send("a.pdf", "application/pdf", PDF);
    expect(files()).toHaveLength(1);
  });

  it("a file whose receipt was lost is found by what Meta reports", async () => {
    cloud.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    const { messageId } = await send("a.pdf", "application/pdf", PDF);
    expect(cloud.emulator.messages(ADA).map(({ id }) => id)).toEqual([messageId]);
  });

  it("a file that Meta cannot read afterwards is reported with its reason", async () => {
    cloud.emulator.refuseLate(131053);
    const { messageId } = await send("a.pdf", "application/pdf", PDF);
    await until(() => cloud.settled.length > 0);
    expect(cloud.settled).toMatchObject([{ messageId, refusal: { message: expect.stringContaining("131053") } }]);
  });
});

describe("the emulated API", () => {
  async function upload(mediaType: string, content: Uint8Array): Promise<Response> {
    const { graphUrl, phoneNumberId, accessToken } = cloud.emulator.options;
    const body = new FormData();
    body.set("messaging_product", "whatsapp");
    body.set("file", new Blob([Buffer.from(content)], { type: mediaType }), "file");
    const headers = { authorization: `Bearer ${accessToken}` };
    return fetch(`${graphUrl}/${phoneNumberId}/media`, { method: "POST", headers, body });
  }

  it("the emulated API takes no type that Meta does not list", async () => {
    const response = await upload("application/zip", BYTES);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("Received file of type 'application/zip'");
  });

  it("the emulated API takes pictures of up to 5 MB", async () => {
    expect((await upload("image/png", Buffer.alloc(5 * 1024 ** 2))).status).toBe(200);
    expect(await (await upload("image/png", Buffer.alloc(5 * 1024 ** 2 + 1))).text()).toContain("too large");
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PERSONAL_CHATS } from "../../emulator/index.ts";
import { at, sending } from "../harness.ts";
import { type RunningPersonal, startPersonal } from "../running-personal.ts";
import { BYTES, kept, png } from "../some-files.ts";

const { ada: ADA, group: GROUP } = PERSONAL_CHATS;

let personal: RunningPersonal;
beforeEach(async () => {
  personal = await startPersonal();
});
afterEach(() => personal[Symbol.asyncDispose]());

function send(
  name: string,
  mediaType: string,
  content: Uint8Array,
  { text = "", to = ADA as string, key = "key-1" } = {},
) {
  return personal.adapter.send(at(to), { text, file: kept(name, mediaType, content) }, { ...sending(key), content });
}

const files = (chatId: string = ADA) => personal.emulator.messages(chatId).flatMap((message) => message.files ?? []);

describe("a file", () => {
  it("a document arrives byte for byte, with its caption in the same message", async () => {
    await send("all bytes.bin", "application/octet-stream", BYTES, { text: "*Every* byte", to: GROUP });
    const [message, ...others] = personal.emulator.messages(GROUP);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ text: "Every byte", fileNames: ["all bytes.bin"] });
    expect(Buffer.from(files(GROUP)[0]?.content ?? []).equals(BYTES)).toBe(true);
  });

  it("a picture that WhatsApp shows is sent as a picture, with its size", async () => {
    const content = png(40, 30);
    await send("chart.png", "image/png", content, { text: "Up" });
    const [message] = personal.emulator.messages(ADA);
    expect(message).toMatchObject({ text: "Up", raw: { imageMessage: { width: 40, height: 30, caption: "Up" } } });
    expect(files()).toMatchObject([{ mediaType: "image/png", isPicture: true, content }]);
  });

  it("a picture of another kind is sent as a document", async () => {
    const content = Buffer.from("47494638396101000100800000000000ffffff2c", "hex");
    await send("wave.gif", "image/gif", content);
    expect(files()).toEqual([{ name: "wave.gif", mediaType: "image/gif", content }]);
  });

  it("a file sent twice, even by another process, is shown once", async () => {
    await send("a.bin", "application/octet-stream", BYTES);
    await personal.restart();
    await send("a.bin", "application/octet-stream", BYTES);
    expect(files()).toHaveLength(1);
  });

  it("a file larger than the server takes is refused with its limit", async () => {
    personal.emulator.takeFilesUpTo(2 * 1024 ** 2);
    const content = Buffer.alloc(2 * 1024 ** 2);
    await expect(send("large.bin", "application/octet-stream", content)).rejects.toMatchObject({
      code: "PLATFORM_REJECTED",
      message: expect.stringContaining("of up to 2 MB"),
      retryable: false,
    });
    expect(personal.emulator.messages(ADA)).toEqual([]);
  });
});

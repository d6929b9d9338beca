import { randomBytes } from "node:crypto";
import type { OutboundFile } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL } from "../emulator/index.ts";
import { IN_DM, IN_GENERAL, type RunningDiscord, SIGNAL, startDiscord } from "./running-discord.ts";

const MIB = 1024 ** 2;
const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02", "hex");

let discord: RunningDiscord;
beforeEach(async () => {
  discord = await startDiscord();
});
afterEach(() => discord[Symbol.asyncDispose]());

function file(name: string, mediaType: string, content: Uint8Array): OutboundFile {
  return { name, mediaType, size: content.length, hash: "0".repeat(64) };
}

function send(about: OutboundFile, content: Uint8Array, { to = IN_GENERAL, text = "", key = "k" } = {}) {
  return discord.adapter.send(to, { text, file: about }, { key, content, signal: SIGNAL });
}

const files = (chatId: string = CHANNEL.general) =>
  discord.emulator.messages(chatId).flatMap((message) => message.files ?? []);

describe("a file", () => {
  it("a file arrives byte for byte, with its caption in the same message", async () => {
    const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    await send(file("all bytes.bin", "application/octet-stream", content), content, { text: "Every byte" });
    const [message, ...others] = discord.emulator.messages(CHANNEL.general);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ text: "Every byte", fileNames: ["all bytes.bin"] });
    expect(Buffer.from(message?.files?.[0]?.content ?? [])).toEqual(content);
  });

  it("a picture is shown as a picture, under its own name", async () => {
    await send(file("Übersicht.png", "image/png", PNG), PNG);
    expect(files()).toMatchObject([{ name: "Übersicht.png", mediaType: "image/png", isPicture: true }]);
  });

  it("a file whose receipt was lost is found by its name, and sent once", async () => {
    const about = file("__ für später__.png", "image/png", PNG);
    discord.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    await expect(send(about, PNG)).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
    await discord.stop();
    discord.emulator.world.nonces.clear();
    await discord.startAgain();
    const found = await discord.adapter.findSent(IN_GENERAL, "k", SIGNAL);
    expect(found?.messageId).toBe(discord.emulator.messages(CHANNEL.general)[0]?.id);
    await send(about, PNG);
    expect(files()).toHaveLength(1);
  });
});

it("a boosted server takes larger files than direct messages do", async () => {
  expect(discord.adapter.capabilities.files).toEqual({ largest: 20 * MIB });
  discord.emulator.boost(2);
  await discord.until(() => Object(discord.adapter.capabilities.files).largest === 50 * MIB);
  const content = randomBytes(20 * MIB + 1);
  const about = file("large.bin", "application/octet-stream", content);
  await send(about, content);
  expect(files()[0]?.content.length).toBe(content.length);
  await expect(send(about, content, { to: IN_DM, key: "k2" })).rejects.toMatchObject({
    code: "PLATFORM_REJECTED",
    message: expect.stringContaining("too large for the direct messages: up to 20 MB are taken there"),
    retryable: false,
  });
  expect(files(CHANNEL.dm)).toEqual([]);
});

it("a file that a person sends has the name that they see", async () => {
  const sent = { name: "Überblick für alle.pdf", mediaType: "application/pdf", content: "%PDF-1.4" };
  await discord.emulator.receive({ chatId: CHANNEL.dm, text: "Look", files: [sent] });
  expect((await discord.untilReceived(1))[0]?.attachments?.[0]?.name).toBe("Überblick für alle.pdf");
});

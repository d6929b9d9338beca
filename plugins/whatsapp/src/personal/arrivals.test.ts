import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WAMessage } from "@whiskeysockets/baileys";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Arrivals } from "./arrivals.ts";

const SECRET = 'a-"quoted"-password';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-arrivals-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("stores a waiting message without its secrets, and can read it again", () => {
  const path = join(folder, "arrivals.jsonl");
  const redact = (text: string) => text.replaceAll(SECRET, "[redacted]");
  const mediaKey = Uint8Array.from([1, 2, 3]);
  const message = {
    key: { remoteJid: "491701234567@s.whatsapp.net", id: "A1" },
    pushName: `Ada ${SECRET}`,
    message: { documentMessage: { caption: `my key ${SECRET}`, mediaKey } },
  } as WAMessage;
  new Arrivals(path, redact).add(message);
  expect(readFileSync(path, "utf8")).not.toContain("quoted");
  const [kept] = new Arrivals(path, redact).waiting;
  expect(kept).toMatchObject({ key: message.key, pushName: "Ada [redacted]" });
  expect(kept?.message?.documentMessage?.caption).toBe("my key [redacted]");
  expect(Uint8Array.from(kept?.message?.documentMessage?.mediaKey ?? [])).toEqual(mediaKey);
});

it("keeps the message behind which its file is written anew", () => {
  const path = join(folder, "arrivals.jsonl");
  const plain = (text: string) => text;
  const arrivals = new Arrivals(path, plain);
  const ids = Array.from({ length: 1_001 }, (_, at) => `A${at}`);
  for (const id of ids) arrivals.add({ key: { remoteJid: "491701234567@s.whatsapp.net", id } } as WAMessage);
  arrivals.close();
  expect(new Arrivals(path, plain).waiting.map(({ key }) => key.id)).toEqual(ids);
});

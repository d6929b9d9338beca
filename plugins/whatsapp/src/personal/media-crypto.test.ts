import { expect, it } from "vitest";
import { decryptFile, encryptFile } from "./media-crypto.ts";

it("a file is read by whoever has its key, and by nobody else", async () => {
  const { body, mediaKey } = await encryptFile(Buffer.from("The plan."), "document");
  expect(body.includes("The plan.")).toBe(false);
  expect((await decryptFile(body, mediaKey, "document")).toString()).toBe("The plan.");
  await expect(decryptFile(body, Buffer.alloc(32), "document")).rejects.toThrow("changed on the way");
  await expect(decryptFile(body, mediaKey, "image")).rejects.toThrow("changed on the way");
});

it("a file that was changed on the way is noticed", async () => {
  const { body, mediaKey } = await encryptFile(Buffer.from("The plan."), "document");
  body[0] = (body[0] ?? 0) ^ 1;
  await expect(decryptFile(body, mediaKey, "document")).rejects.toThrow("changed on the way");
  await expect(decryptFile(Buffer.alloc(5), mediaKey, "document")).rejects.toThrow("changed on the way");
});

import { expect, it } from "vitest";
import { decryptFile, encryptFile } from "./media-crypto.ts";

it("a file is read by whoever has its key, and by nobody else", async () => {
  const { body, mediaKey } = await encryptFile(Buffer.from("The plan."), "document");
  expect(body.includes("The plan.")).toBe(false);
  expect((await decryptFile(body, { mediaKey }, "document")).toString()).toBe("The plan.");
  await expect(decryptFile(body, { mediaKey: Buffer.alloc(32) }, "document")).rejects.toThrow("changed on the way");
  await expect(decryptFile(body, { mediaKey }, "image")).rejects.toThrow("changed on the way");
});

it("a file that was changed on the way is noticed", async () => {
  const { body, mediaKey } = await encryptFile(Buffer.from("The plan."), "document");
  body[0] = (body[0] ?? 0) ^ 1;
  await expect(decryptFile(body, { mediaKey }, "document")).rejects.toThrow("changed on the way");
  await expect(decryptFile(Buffer.alloc(5), { mediaKey }, "document")).rejects.toThrow("changed on the way");
});

it("a file that is not the one which its message names is refused", async () => {
  const { body, mediaKey, sha256 } = await encryptFile(Buffer.from("The plan."), "document");
  expect((await decryptFile(body, { mediaKey, fileSha256: sha256 }, "document")).toString()).toBe("The plan.");
  const other = decryptFile(body, { mediaKey, fileSha256: Buffer.alloc(32) }, "document");
  await expect(other).rejects.toThrow("not the file that the message names");
});

import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { getMediaKeys } from "@whiskeysockets/baileys";

/** The length of the MAC after an encrypted file, in bytes. */
const MAC_LENGTH = 10;

/** A file as it is stored on WhatsApp's servers, and what its receivers need to read it. */
interface EncryptedFile {
  readonly body: Buffer;
  readonly mediaKey: Buffer;
  /** The hashes of the file and of the encrypted body. */
  readonly sha256: Buffer;
  readonly bodySha256: Buffer;
}

/** The kind of message that a file is sent as; its keys are derived from that too. */
export type MediaKind = "document" | "image" | "video" | "audio" | "sticker";

/** Encrypts a file (AES-CBC with a key of its own, and a MAC). */
export async function encryptFile(content: Uint8Array, kind: MediaKind): Promise<EncryptedFile> {
  const mediaKey = randomBytes(32);
  const { iv, cipherKey, macKey } = await keysOf(mediaKey, kind);
  const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
  const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
  const body = Buffer.concat([encrypted, macOf(macKey, iv, encrypted)]);
  return { body, mediaKey, sha256: sha256(content), bodySha256: sha256(body) };
}

/** Decrypts the output of `encryptFile`. Throws if it was changed on the way, or is not the file of that hash. */
export async function decryptFile(
  body: Uint8Array,
  { mediaKey, fileSha256 }: { readonly mediaKey: Uint8Array; readonly fileSha256?: Uint8Array | null | undefined },
  kind: MediaKind,
): Promise<Buffer> {
  const { iv, cipherKey, macKey } = await keysOf(mediaKey, kind);
  const encrypted = body.subarray(0, -MAC_LENGTH);
  const mac = macOf(macKey, iv, encrypted);
  if (body.length <= MAC_LENGTH || !timingSafeEqual(mac, body.subarray(-MAC_LENGTH))) {
    throw new Error("the file was changed on the way");
  }
  const decipher = createDecipheriv("aes-256-cbc", cipherKey, iv);
  const content = Buffer.concat([decipher.update(encrypted), decipher.final()]);
  if (fileSha256?.length && !sha256(content).equals(fileSha256))
    throw new Error("it is not the file that the message names");
  return content;
}

async function keysOf(mediaKey: Uint8Array, kind: MediaKind) {
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, kind);
  if (!macKey) throw new Error("no keys can be derived for the file");
  return { iv, cipherKey, macKey };
}

function macOf(macKey: Uint8Array, iv: Uint8Array, encrypted: Uint8Array): Buffer {
  return createHmac("sha256", macKey).update(iv).update(encrypted).digest().subarray(0, MAC_LENGTH);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

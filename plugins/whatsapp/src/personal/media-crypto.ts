import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { OutboundFile } from "@hermes/core";
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getMediaKeys,
  type proto,
  S_WHATSAPP_NET,
  type WASocket,
} from "@whiskeysockets/baileys";
import { unavailable } from "../errors.ts";

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

/** The timeout for a file, in milliseconds. */
const PATIENCE_MS = 30_000;

/** Uploads a file encrypted, and returns the message by which its receivers find and read it. */
export async function uploadDocument(
  socket: WASocket,
  socketUrl: string,
  file: OutboundFile,
  content: Uint8Array,
): Promise<proto.Message.IDocumentMessage> {
  const { body, mediaKey, sha256, bodySha256 } = await encryptFile(content, "document");
  const { host, auth } = await uploadPlace(socket);
  const token = bodySha256.toString("base64url");
  const scheme = new URL(socketUrl).protocol === "wss:" ? "https" : "http";
  const url = `${scheme}://${host}/mms/document/${token}?${new URLSearchParams({ auth, token })}`;
  const response = await fetch(url, {
    method: "POST",
    body: new Uint8Array(body),
    headers: { "content-type": "application/octet-stream", origin: "https://web.whatsapp.com" },
    redirect: "error",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!response.ok) throw unavailable(`the server for files answered ${response.status}`);
  const { url: address, direct_path: directPath } = (await response.json()) as { url?: string; direct_path?: string };
  if (!directPath) throw unavailable("the server for files did not say where the file lies");
  return {
    url: address ?? null,
    directPath,
    mediaKey,
    fileSha256: sha256,
    fileEncSha256: bodySha256,
    fileLength: content.length,
    mimetype: file.mediaType,
    fileName: file.name,
    title: file.name,
  };
}

async function uploadPlace(socket: WASocket): Promise<{ readonly host: string; readonly auth: string }> {
  const query: BinaryNode = {
    tag: "iq",
    attrs: { type: "set", xmlns: "w:m", to: S_WHATSAPP_NET },
    content: [{ tag: "media_conn", attrs: {} }],
  };
  const place = getBinaryNodeChild(await socket.query(query), "media_conn");
  const host = getBinaryNodeChildren(place, "host")[0]?.attrs.hostname;
  const auth = place?.attrs.auth;
  if (!host || !auth) throw unavailable("the server named no place for files");
  return { host, auth };
}

import type { TextFile } from "@hermes/core";
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type proto,
  S_WHATSAPP_NET,
  type WASocket,
} from "@whiskeysockets/baileys";
import { unavailable } from "../errors.ts";
import { encryptFile } from "./media-crypto.ts";

/** How long WhatsApp may take for a file, in milliseconds. */
const PATIENCE_MS = 30_000;

/** Puts a file on WhatsApp's servers, encrypted, and gives the message that its receivers find and read it by. */
export async function uploadDocument(
  socket: WASocket,
  socketUrl: string,
  file: TextFile,
): Promise<proto.Message.IDocumentMessage> {
  const content = Buffer.from(file.text);
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

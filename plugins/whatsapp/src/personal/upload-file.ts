import { type OutboundFile, pictureIn, safeFileName } from "@hermes/core";
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type proto,
  S_WHATSAPP_NET,
  type WASocket,
} from "@whiskeysockets/baileys";
import { rejected, unavailable } from "../errors.ts";
import { encryptFile, type MediaKind } from "./media-crypto.ts";

const MB = 1024 ** 2;

/** The largest file that is sent, in bytes. WhatsApp's apps send larger ones; here each is held in memory. */
export const LARGEST_FILE = 100 * MB;

/** The largest picture that apps show as one, in bytes; a larger one is a document. */
const LARGEST_PICTURE = 16 * MB;

/** How long an upload may take, in milliseconds, if its caller waits that long. */
const UPLOADED_WITHIN_MS = 10 * 60_000;

/** Where files are uploaded, and what the server says of them. */
interface UploadPlace {
  readonly host: string;
  readonly auth: string;
  /** Bytes, encrypted; 0 where it does not say. */
  readonly largest: number;
}

export interface Upload {
  readonly file: OutboundFile;
  readonly content: Uint8Array;
  readonly caption: string;
  readonly signal: AbortSignal;
}

/** Uploads a file encrypted, and returns the message by which its receivers find and read it. */
export async function uploadFile(
  socket: WASocket,
  socketUrl: string,
  { file, content, caption, signal }: Upload,
): Promise<proto.IMessage> {
  const said = caption === "" ? {} : { caption };
  const picture = pictureIn(content);
  if (picture && /^image\/(?:jpeg|png)$/.test(picture.mediaType) && content.length <= LARGEST_PICTURE) {
    const stored = await store(socket, socketUrl, "image", content, signal);
    const { mediaType: mimetype, width, height } = picture;
    return { imageMessage: { ...stored, mimetype, width, height, ...said } };
  }
  const stored = await store(socket, socketUrl, "document", content, signal);
  const name = safeFileName(file.name);
  return { documentMessage: { ...stored, mimetype: file.mediaType, fileName: name, title: name, ...said } };
}

type StoredField = "url" | "directPath" | "mediaKey" | "fileSha256" | "fileEncSha256" | "fileLength";

async function store(
  socket: WASocket,
  socketUrl: string,
  kind: MediaKind,
  content: Uint8Array,
  signal: AbortSignal,
): Promise<Pick<proto.Message.IDocumentMessage, StoredField>> {
  const { body, mediaKey, sha256, bodySha256 } = await encryptFile(content, kind);
  const { host, auth, largest } = await uploadPlace(socket);
  if (largest > 0 && body.length > largest) throw tooLarge(largest);
  const token = bodySha256.toString("base64url");
  const scheme = new URL(socketUrl).protocol === "wss:" ? "https" : "http";
  const url = `${scheme}://${host}/mms/${kind}/${token}?${new URLSearchParams({ auth, token })}`;
  const response = await fetch(url, {
    method: "POST",
    body: new Uint8Array(body),
    headers: { "content-type": "application/octet-stream", origin: "https://web.whatsapp.com" },
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(UPLOADED_WITHIN_MS)]),
  });
  if (response.status === 413) throw tooLarge(largest);
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
  };
}

async function uploadPlace(socket: WASocket): Promise<UploadPlace> {
  const query: BinaryNode = {
    tag: "iq",
    attrs: { type: "set", xmlns: "w:m", to: S_WHATSAPP_NET },
    content: [{ tag: "media_conn", attrs: {} }],
  };
  const place = getBinaryNodeChild(await socket.query(query), "media_conn");
  const { hostname: host, maxContentLengthBytes = "0" } = getBinaryNodeChildren(place, "host")[0]?.attrs ?? {};
  const auth = place?.attrs.auth;
  if (!host || !auth) throw unavailable("the server named no place for files");
  return { host, auth, largest: Number(maxContentLengthBytes) || 0 };
}

function tooLarge(largest: number) {
  const limit = largest > 0 ? `, which are of up to ${Math.floor(largest / MB)} MB` : "";
  return rejected(`the file is too large for WhatsApp's servers${limit}`, "Send a smaller one, or a part of it.");
}

import type { IncomingMessage } from "node:http";

/** The parsed body of a request. */
export interface RequestBody {
  /** The received bytes, over which signatures are computed. */
  readonly raw: Buffer;
  /** The value of a JSON body; for a form, an object of its fields as strings; null for an empty body. */
  readonly value: unknown;
  /** The files of a multipart form. */
  readonly files: readonly UploadedFile[];
}

/** A file of a form that the client sent. */
export interface UploadedFile {
  /** The name of the form field. */
  readonly field: string;
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

/** Thrown for a body that cannot be read, with the status to answer: 400 or 413. */
export class BadBody extends Error {
  readonly status: 400 | 413;

  constructor(status: 400 | 413, reason: string) {
    super(reason);
    this.name = "BadBody";
    this.status = status;
  }
}

/** The default maximum size of a body, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Reads and parses a body by its content type: JSON, a form, or a multipart form. Throws {@link BadBody}. */
export async function readBody(
  request: IncomingMessage,
  { maxBytes = MAX_BYTES }: { readonly maxBytes?: number } = {},
): Promise<RequestBody> {
  const raw = await readBytes(request, maxBytes);
  const type = request.headers["content-type"] ?? "";
  if (raw.length === 0) return { raw, value: null, files: [] };
  if (/^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(type)) return readForm(raw, type);
  try {
    return { raw, value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw)), files: [] };
  } catch {
    throw new BadBody(400, "the body is no JSON");
  }
}

/** Reads a body as bytes. Throws {@link BadBody}. */
export async function readBytes(request: IncomingMessage, maxBytes = MAX_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new BadBody(413, `the body is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readForm(raw: Buffer, type: string): Promise<RequestBody> {
  const form = await new Response(new Uint8Array(raw), { headers: { "content-type": type } }).formData().catch(() => {
    throw new BadBody(400, "the body is no form");
  });
  const fields: [string, string][] = [];
  const files: UploadedFile[] = [];
  for (const [field, entry] of form) {
    if (typeof entry === "string") fields.push([field, entry]);
    else {
      const content = Buffer.from(await entry.arrayBuffer());
      files.push({ field, name: entry.name, mediaType: entry.type || "application/octet-stream", content });
    }
  }
  return { raw, value: Object.fromEntries(fields), files };
}

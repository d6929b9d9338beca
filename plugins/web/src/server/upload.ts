import { randomBytes } from "node:crypto";
import { decodeText, isTextFile, sniffMediaType, z } from "@hermes/core";
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { LARGEST_FILE } from "../storage/kept-files.ts";
import { parsed } from "./bodies.ts";
import type { ServerParts, WebEnv } from "./parts.ts";
import { Refusal } from "./refusal.ts";
import type { WireFile } from "./wire/thread.ts";

const called = z.object({ name: z.string().min(1).max(500), type: z.string().max(200).default("") });

/** Refuses a body that is larger than a file may be, before it is read. */
export const uploadLimit = bodyLimit({
  maxSize: LARGEST_FILE,
  onError: () => {
    throw new Refusal("FILE_TOO_LARGE");
  },
});

/** Keeps a file until the message that names it is sent: a picture or PDF by its content, or a text. */
export async function takeUpload(c: Context<WebEnv>, { uploads, clock }: ServerParts): Promise<Response> {
  // A page elsewhere cannot send this type without a CORS preflight.
  if (c.req.header("content-type") !== "application/octet-stream") throw new Refusal("INVALID");
  const { name, type } = parsed(called, c.req.query());
  const content = new Uint8Array(await c.req.arrayBuffer());
  const size = content.length;
  const mediaType = sniffMediaType(content) ?? textTypeOf({ name, mediaType: type, size }, content);
  if (mediaType === null || size === 0) throw new Refusal("FILE_NOT_TAKEN");
  // Of its own: an upload goes when its message is taken in, while the same file may wait for another message.
  const id = await uploads.keep(content, clock.now(), randomBytes(32).toString("hex"));
  const answer: WireFile = { id, name: name.toWellFormed(), mediaType, size, path: null, picture: null };
  return c.json(answer, 201);
}

function textTypeOf(file: Parameters<typeof isTextFile>[0], content: Uint8Array): string | null {
  if (!isTextFile(file) || decodeText(content) === null) return null;
  return file.mediaType.startsWith("text/") ? file.mediaType : "text/plain";
}

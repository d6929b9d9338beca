import { type Attachment, decodeText, isTextFile, type Logger } from "@hermes/core";
import { z } from "zod";
import type { DaemonClient } from "./daemon-client.ts";
import type { WireAttachment } from "./envelope.ts";
import { toPlatformError } from "./errors.ts";

/** The rest of a text that is too long for a message: the whole of it, as a file ("MimeUtils.LONG_TEXT"). */
const LONG_TEXT = "text/x-signal-plain";

/** A file that takes longer than this is only named, in milliseconds: it holds up the messages behind it. */
const PATIENCE_MS = 15_000;

const dataAnswer = z.object({ data: z.string() });

/** The chat that a file came in, as signal-cli wants it named. */
export type FileOrigin = { readonly recipient: string } | { readonly groupId: string };

/** Gets a text file of a message by its id; null when it cannot be had, or is none. */
export type ReadText = (id: string, origin: FileOrigin) => Promise<string | null>;

/** Gets files from the daemon, which has them on its disk ("getAttachment"), unless it runs with `--ignore-attachments`. */
export function createReadText(client: DaemonClient, logger: Logger, signal: AbortSignal): ReadText {
  return async (id, origin) => {
    try {
      const answer = await client.call("getAttachment", { id, ...origin }, { signal, patienceMs: PATIENCE_MS });
      return decodeText(Buffer.from(dataAnswer.parse(answer).data, "base64"));
    } catch (error) {
      const reason = toPlatformError(error).message;
      logger.warn({ reason }, "a file could not be had from signal-cli; it is only named");
      return null;
    }
  };
}

/** The whole of a text of which the message holds only the beginning; null when that is all there is. */
export async function longTextOf(
  attachments: readonly WireAttachment[],
  origin: FileOrigin,
  readText: ReadText,
): Promise<string | null> {
  const id = attachments.find(isLongText)?.id;
  return id ? readText(id, origin) : null;
}

/** The files of a message: the text of text files, and of others what they are called. */
export async function attachmentsOf(
  wired: readonly WireAttachment[],
  origin: FileOrigin,
  readText: ReadText,
): Promise<Attachment[]> {
  return Promise.all(wired.filter((one) => !isLongText(one)).map((one) => toAttachment(one, origin, readText)));
}

function isLongText({ contentType }: WireAttachment): boolean {
  return contentType === LONG_TEXT;
}

async function toAttachment(
  { id, filename, contentType, size }: WireAttachment,
  origin: FileOrigin,
  readText: ReadText,
): Promise<Attachment> {
  const mediaType = contentType || "application/octet-stream";
  const named: Attachment = { name: filename || nameFor(mediaType), mediaType, size: size ?? 0 };
  if (!id || !isTextFile(named)) return named;
  const text = await readText(id, origin);
  return text === null ? named : { ...named, text };
}

/** Pictures and voice messages mostly come without a name. */
function nameFor(mediaType: string): string {
  return `a file of the kind ${mediaType.split("/")[0] ?? "unknown"}`;
}

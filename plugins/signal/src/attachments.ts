import { type Attachment, readAttachment } from "@hermes/core";
import { z } from "zod";
import type { WireAttachment } from "./envelope.ts";
import { toPlatformError } from "./errors.ts";
import type { DecodeContext } from "./inbound.ts";

/** The rest of a text that is too long for a message: the whole of it, as a file ("MimeUtils.LONG_TEXT"). */
const LONG_TEXT = "text/x-signal-plain";

const dataAnswer = z.object({ data: z.string() });

/** The chat that a file came in, as signal-cli wants it named. */
export type FileOrigin = { readonly recipient: string } | { readonly groupId: string };

type Context = Pick<DecodeContext, "client" | "logger" | "signal">;

/** The whole of a text of which the message holds only the beginning; null when that is all there is. */
export async function longTextOf(
  files: readonly WireAttachment[],
  origin: FileOrigin,
  context: Context,
): Promise<string | null> {
  const file = files.find(isLongText);
  return (file && (await toAttachment(file, origin, context)).text) ?? null;
}

/** The files of a message: text files with their text, others by name only. */
export function attachmentsOf(
  files: readonly WireAttachment[],
  origin: FileOrigin,
  context: Context,
): Promise<Attachment[]> {
  return Promise.all(files.filter((file) => !isLongText(file)).map((file) => toAttachment(file, origin, context)));
}

function isLongText({ contentType }: WireAttachment): boolean {
  return contentType === LONG_TEXT;
}

/** The daemon has files on its disk ("getAttachment"), unless it runs with `--ignore-attachments`. */
function toAttachment(
  { id, filename, contentType, size }: WireAttachment,
  origin: FileOrigin,
  { client, logger, signal }: Context,
): Promise<Attachment> {
  const mediaType = contentType || "application/octet-stream";
  const named = { name: filename || nameFor(mediaType), mediaType, size: size ?? 0 };
  return readAttachment(named, logger, async (until) => {
    if (!id) return null;
    try {
      const answer = await client.call(
        "getAttachment",
        { id, ...origin },
        { signal: AbortSignal.any([until, signal]) },
      );
      return Buffer.from(dataAnswer.parse(answer).data, "base64");
    } catch (error) {
      throw toPlatformError(error);
    }
  });
}

/** Pictures and voice messages mostly come without a name. */
function nameFor(mediaType: string): string {
  return `a file of the kind ${mediaType.split("/")[0] ?? "unknown"}`;
}

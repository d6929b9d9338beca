import { pictureIn } from "@hermes/core";
import type { WireFile, WirePicture } from "../server/wire/thread.ts";
import type { KeptFiles } from "./kept-files.ts";

/** A file as the row of its message has it. */
export interface SentFile {
  readonly id: string;
  readonly name: string;
  /** Of a picture, what its first bytes say. */
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** Missing for what is no picture to show. */
  readonly picture?: WirePicture;
  /** Whether the page keeps its content as long as the message. */
  readonly isKept?: boolean;
}

/** Keeps a file for the message that is written next. */
export async function keepSent(
  files: KeptFiles,
  { name, mediaType, content }: { readonly name: string; readonly mediaType: string; readonly content: Uint8Array },
  now: number,
): Promise<SentFile> {
  const found = pictureIn(content);
  const kept = { id: await files.keep(content, now), name: name.toWellFormed(), size: content.length, isKept: true };
  if (found === null) return { ...kept, mediaType };
  const { width, height } = found;
  return { ...kept, mediaType: found.mediaType, picture: { width, height } };
}

/** The file as the page gets it. */
export function wireFile(file: SentFile, message: { readonly id: string; readonly thread_id: string }): WireFile {
  const { id, name, mediaType, size, picture, isKept } = file;
  const [threadId, messageId] = [message.thread_id, message.id].map(encodeURIComponent);
  const path = isKept ? `/api/threads/${threadId}/messages/${messageId}/files/${id}` : null;
  return { id, name, mediaType, size, path, picture: picture ?? null };
}

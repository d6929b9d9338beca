import { type Conversation, type OutboundFile, reasonOf, type SendOptions, safeFileName } from "@hermes/core";
import type { SlackApi } from "./api.ts";
import { fileTooLarge, unavailable } from "./errors.ts";

/** The largest file that Slack takes, in bytes ("Working with files"); a workspace may take less. */
export const LARGEST_FILE = 1_000_000_000;

/** `block_id` of the words that introduce a file: files carry no metadata, so this says which send it was. */
export function blockIdOf(key: string): string {
  return `hermes:${key}`.slice(0, 255);
}

/**
 * Shares a file, with a caption in plain text; returns the file's id. In three steps ("Uploading files"); only the last
 * one is seen by anybody, so what goes wrong before leaves nothing behind.
 */
export async function shareFile(
  api: SlackApi,
  { chatId, threadId }: Conversation,
  { caption, file }: { readonly caption: string; readonly file: OutboundFile },
  { key, content, signal }: SendOptions,
): Promise<string> {
  // A file for a thread whose root is gone would go to the whole channel, and nothing would tell.
  if (threadId !== undefined) {
    await api.call("conversations.replies", { channel: chatId, ts: threadId, limit: 1 }, { signal, waits: true });
  }
  // Slack takes no empty files.
  const bytes = Buffer.from(content?.length ? content : "\n");
  const name = safeFileName(file.name);
  const about = { filename: name, length: bytes.length };
  const upload = await api.call("files.getUploadURLExternal", about, { signal, waits: true });
  await put(String(upload.upload_url), bytes, signal);
  await api.call(
    "files.completeUploadExternal",
    {
      files: [{ id: upload.file_id, title: name }],
      channel_id: chatId,
      ...(threadId === undefined ? {} : { thread_ts: threadId }),
      blocks: [{ type: "section", block_id: blockIdOf(key), text: { type: "plain_text", text: caption || name } }],
    },
    { signal },
  );
  return String(upload.file_id);
}

async function put(url: string, bytes: Buffer<ArrayBuffer>, signal: AbortSignal): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: bytes,
      redirect: "manual",
      signal,
    });
  } catch (error) {
    throw unavailable(`a file could not be uploaded: ${reasonOf(error)}`, { cause: error });
  }
  await response.body?.cancel();
  if (response.status === 413) throw fileTooLarge();
  if (response.status !== 200) throw unavailable(`the upload of a file was answered with HTTP ${response.status}`);
}

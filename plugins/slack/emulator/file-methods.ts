import { sniffMediaType } from "@hermes/core";
import type { EmulatedFile } from "@hermes/emulator";
import { checkBlocks } from "./check-message.ts";
import type { MethodContext, Methods } from "./methods.ts";
import { type Params, Refusal } from "./params.ts";
import { APP, type Channel, type StoredFile } from "./workspace.ts";

/** The largest file, in bytes ("Working with files"). */
const LARGEST_FILE = 1_000_000_000;

/** Uploads in three steps: an address is asked for, the bytes go there, and then the file is shared. */
export const fileMethods: Methods = {
  "files.getUploadURLExternal"(params, { workspace, url, uploads }) {
    workspace.needScope("files:write");
    const name = params.optional("filename");
    const length = params.number("length", 0);
    if (name === undefined || length === 0) throw new Refusal("invalid_arguments");
    if (length > LARGEST_FILE) throw new Refusal("file_upload_size_restricted");
    const id = workspace.newId("F");
    uploads.set(id, { name, length, content: null });
    return { upload_url: `${url}/upload/v1/${id}`, file_id: id };
  },

  "files.completeUploadExternal"(params, context) {
    const { workspace, uploads } = context;
    workspace.needScope("files:write");
    const blocks = params.list("blocks", "invalid_blocks_format");
    if (blocks !== undefined) checkBlocks(blocks);
    const to = workspace.writableChannel(params.text("channel_id"));
    const files = (params.list("files", "invalid_arguments") ?? []).map((one) => {
      const { id, title } = Object(one) as Record<string, unknown>;
      const upload = uploads.get(String(id));
      if (!upload?.content) throw new Refusal("file_not_found");
      const { name, content } = upload;
      const file: StoredFile = { id: String(id), name, mediaType: mediaTypeOf(content), content };
      workspace.files.set(file.id, file);
      return { file, title: String(title ?? name) };
    });
    if (files.length === 0) throw new Refusal("invalid_arguments");
    const share = () => shareFiles(params, context, { to, blocks, files: files.map(({ file }) => file) });
    if (workspace.sharesAfterMs === 0) share();
    else workspace.later(workspace.sharesAfterMs, share);
    return { files: files.map(({ file, title }) => ({ id: file.id, title })) };
  },
};

/** The message with the files; where there is a comment, blocks are ignored. */
function shareFiles(
  params: Params,
  { workspace, feed }: MethodContext,
  { to, blocks, files }: { to: Channel; blocks: readonly unknown[] | undefined; files: readonly StoredFile[] },
): void {
  const comment = params.optional("initial_comment");
  const message = workspace.add(to, {
    user: APP.userId,
    botId: APP.botId,
    appId: APP.appId,
    text: comment ?? "",
    blocks: comment === undefined ? blocks : undefined,
    threadTs: params.optional("thread_ts"),
    files,
  });
  feed.sendMessage(to, message);
}

/** Slack finds out by itself what a file is. */
function mediaTypeOf(content: Buffer): string {
  const sniffed = sniffMediaType(content);
  if (sniffed !== null) return sniffed;
  return content.includes(0) || content.toString().includes("\ufffd") ? "application/octet-stream" : "text/plain";
}

/** A file as people see it. */
export function shownFile({ name, mediaType, content }: StoredFile): EmulatedFile {
  return { name, mediaType, content, ...(mediaType.startsWith("image/") && { isPicture: true }) };
}

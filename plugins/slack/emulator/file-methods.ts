import { checkBlocks } from "./check-message.ts";
import type { Methods } from "./methods.ts";
import { Refusal } from "./params.ts";
import { APP } from "./workspace.ts";

/** Uploads in three steps: an address is asked for, the bytes go there, and then the file is shared. */
export const fileMethods: Methods = {
  "files.getUploadURLExternal"(params, { workspace, url, uploads }) {
    workspace.needScope("files:write");
    const name = params.optional("filename");
    const length = params.number("length", 0);
    if (name === undefined || length === 0) throw new Refusal("invalid_arguments");
    const id = workspace.newId("F");
    uploads.set(id, { name, length, content: null });
    return { upload_url: `${url}/upload/v1/${id}`, file_id: id };
  },

  "files.completeUploadExternal"(params, { workspace, uploads, feed }) {
    workspace.needScope("files:write");
    const blocks = params.list("blocks", "invalid_blocks_format");
    const comment = params.optional("initial_comment");
    if (blocks !== undefined) checkBlocks(blocks);
    const to = workspace.writableChannel(params.text("channel_id"));
    const files = (params.list("files", "invalid_arguments") ?? []).map((one) => {
      const { id, title } = Object(one) as Record<string, unknown>;
      const upload = uploads.get(String(id));
      if (!upload?.content) throw new Refusal("file_not_found");
      const file = { id: String(id), name: upload.name, mediaType: "text/plain", content: upload.content };
      workspace.files.set(file.id, file);
      return { file, title: String(title ?? upload.name) };
    });
    if (files.length === 0) throw new Refusal("invalid_arguments");
    const message = workspace.add(to, {
      user: APP.userId,
      botId: APP.botId,
      appId: APP.appId,
      text: comment ?? "",
      blocks: comment === undefined ? blocks : undefined,
      threadTs: params.optional("thread_ts"),
      files: files.map(({ file }) => file),
    });
    feed.sendMessage(to, message);
    return { files: files.map(({ file, title }) => ({ id: file.id, title })) };
  },
};

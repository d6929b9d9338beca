import { withBlockIds } from "./buttons.ts";
import { checkMessage, checkMetadata } from "./check-message.ts";
import type { MethodContext, Methods } from "./methods.ts";
import { type Params, Refusal } from "./params.ts";
import { APP, type Channel, type StoredMessage } from "./workspace.ts";

/** `chat.*`, and the status that stands for typing. */
export const chatMethods: Methods = {
  "chat.postMessage"(params, { workspace, feed }) {
    workspace.needScope("chat:write");
    const to = workspace.writableChannel(params.text("channel"));
    const text = params.text("text");
    const blocks = withBlockIds(params.list("blocks", "invalid_blocks_format"), workspace);
    checkMessage({ text, blocks }, "post");
    const message = workspace.add(to, {
      user: APP.userId,
      botId: APP.botId,
      appId: APP.appId,
      text,
      blocks,
      threadTs: params.optional("thread_ts"),
      metadata: checkMetadata(params.json("metadata", "invalid_metadata_format")),
    });
    workspace.statuses.delete(`${to.id} ${message.threadTs ?? message.ts}`);
    feed.sendMessage(to, message);
    return { channel: to.id, ts: message.ts, message: workspace.show(message, to) };
  },

  "chat.update"(params, { workspace, feed }) {
    workspace.needScope("chat:write");
    const to = workspace.writableChannel(params.text("channel"));
    const message = find(to, params.text("ts"));
    if (message.botId !== APP.botId) throw new Refusal("cant_update_message");
    const text = params.text("text");
    const blocks = withBlockIds(params.list("blocks", "invalid_blocks_format"), workspace);
    checkMessage({ text, blocks }, "update");
    const before = { ...message };
    Object.assign(message, { text, blocks, isEdited: true });
    feed.sendChange(to, message, before);
    return { channel: to.id, ts: message.ts, text, message: workspace.show(message, to) };
  },

  "chat.delete"(params, { workspace }) {
    workspace.needScope("chat:write");
    const to = workspace.writableChannel(params.text("channel"));
    const message = find(to, params.text("ts"));
    if (message.botId !== APP.botId) throw new Refusal("cant_delete_message");
    to.messages.delete(message);
    return { channel: to.id, ts: message.ts };
  },

  "chat.getPermalink"(params, { workspace }) {
    const at = workspace.visibleChannel(params.text("channel"));
    const { ts, threadTs } = find(at, params.text("message_ts"));
    const thread = threadTs === undefined ? "" : `?thread_ts=${threadTs}&cid=${at.id}`;
    return { channel: at.id, permalink: `${workspace.url}archives/${at.id}/p${ts.replace(".", "")}${thread}` };
  },

  "assistant.threads.setStatus": setStatus,
};

/** Any message that is there can be the anchor, whether it has a thread or not. */
function setStatus(params: Params, { workspace }: MethodContext): Record<string, unknown> {
  workspace.needScope("chat:write", "assistant:write");
  const at = workspace.writableChannel(params.text("channel_id"));
  const ts = params.text("thread_ts");
  if (at.messages.get(ts) === undefined) throw new Refusal("invalid_thread_ts");
  const status = params.text("status");
  if (status === "") workspace.statuses.delete(`${at.id} ${ts}`);
  else workspace.statuses.set(`${at.id} ${ts}`, status);
  return {};
}

function find(at: Channel, ts: string): StoredMessage {
  const found = at.messages.get(ts);
  if (!found) throw new Refusal("message_not_found");
  return found;
}

import type { Context } from "hono";
import type { ServerParts, WebEnv } from "./parts.ts";
import { Refusal } from "./refusal.ts";

/** What a browser may do with a file that it opens by itself: nothing. */
const NOTHING = "default-src 'none'; sandbox";

/**
 * Answers with a file of a message. Only a picture is shown: everything else is saved, whatever it says it is, so that no
 * file of an agent or a person becomes a document of the page's origin.
 */
export async function giveFile(
  c: Context<WebEnv, "/threads/:id/messages/:messageId/files/:fileId">,
  { file, files }: Pick<ServerParts, "file" | "files">,
): Promise<Response> {
  const { id: threadId, messageId, fileId } = c.req.param();
  if (!file.threads.has(threadId)) throw new Refusal("THREAD_GONE");
  const message = file.messages.get(messageId);
  if (message?.threadId !== threadId) throw new Refusal("MESSAGE_GONE");
  const named = message.files.find(({ id, path }) => id === fileId && path !== null);
  const content = named ? await files.read(named.id) : null;
  if (!named || content === null) throw new Refusal("NOT_KEPT");
  const isShown = named.picture !== null;
  return c.body(content, 200, {
    "Content-Type": isShown ? named.mediaType : "application/octet-stream",
    "Content-Disposition": `${isShown ? "inline" : "attachment"}; ${fileNameParameters(named.name)}`,
    "Content-Security-Policy": NOTHING,
  });
}

/** A name as RFC 6266 has it: plain for old programs, and as it is. Neither can end the header, or its quotes. */
function fileNameParameters(name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, "_");
  const whole = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `filename="${plain}"; filename*=UTF-8''${whole}`;
}

import type { OutboundMessage } from "../adapter/message.ts";
import type { SentFile } from "../base/file-ref.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";

/** A notice that a turn has ended without its answer, which also names the files that were to go out with that. */
export function withUnsentFiles(notice: OutboundMessage, files: readonly Pick<SentFile, "name">[]): OutboundMessage {
  const lines = files.map(({ name }) => `📎 **${escapeMarkdown(name)}** was not sent: ask for it again.`);
  return { ...notice, markdown: [notice.markdown, ...lines].join("\n\n") };
}

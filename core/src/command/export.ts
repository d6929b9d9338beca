import { textFile } from "../adapter/attachments.ts";
import { HermesError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { transcriptAsMarkdown } from "../model/transcript-as-markdown.ts";
import type { Command } from "./command.ts";

export const exportCommand: Command = {
  name: "export",
  description: "Send the whole session here as a file",
  category: "Session",
  aliases: [],
  argumentHint: "",
  gatewayOnly: true,
  async run({ store, session }) {
    const current = await session();
    if (current === null) throw new HermesError("SESSION_UNKNOWN", { reference: "here" });
    const messages = await store.transcripts.read(current.id);
    const name = `${(current.title ?? current.id).replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-|-$/g, "") || "session"}.md`;
    const file = textFile(name, "text/markdown", transcriptAsMarkdown(current, messages));
    return { reply: `The session so far, ${count(messages.length, "message")}:`, files: [file] };
  },
};

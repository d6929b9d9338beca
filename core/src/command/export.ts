import { textFile } from "../adapter/attachments.ts";
import { HermesError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { seesCalls } from "../model/session.ts";
import { withoutCalls } from "../model/transcript.ts";
import { transcriptAsMarkdown } from "../model/transcript-as-markdown.ts";
import type { Command } from "./command.ts";
import { exportName } from "./export-name.ts";

export const exportCommand: Command = {
  name: "export",
  description: "Give you the whole session as a file",
  category: "Session",
  aliases: [],
  argumentHint: "",
  async run({ store, session, exportHere, visible }) {
    const current = await session();
    if (current === null) throw new HermesError("SESSION_UNKNOWN", { reference: "here" });
    if (exportHere !== undefined) return { reply: await exportHere(current) };
    const rows = await store.transcripts.read(current.id);
    const messages = seesCalls(visible) ? rows : withoutCalls(rows);
    const file = textFile(exportName(current), "text/markdown", transcriptAsMarkdown(current, messages));
    return { reply: `The session so far, ${count(messages.length, "message")}:`, files: [file] };
  },
};

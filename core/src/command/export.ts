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
  description: "Export the whole session as a file, with a name of your choice",
  category: "Session",
  aliases: [],
  argumentHint: "[file]",
  async run({ store, session, exportHere, visible }, argument) {
    const current = await session();
    if (current === null) throw new HermesError("SESSION_UNKNOWN", { reference: "here" });
    if (exportHere !== undefined) return { reply: await exportHere(current, argument === "" ? null : argument) };
    const rows = await store.transcripts.read(current.id);
    const messages = seesCalls(visible) ? rows : withoutCalls(rows);
    // In a chat nothing is written anywhere: it is a name, and never a path.
    const name = exportName(argument === "" ? current : { ...current, title: argument.replace(/\.md$/i, "") });
    const file = textFile(name, "text/markdown", transcriptAsMarkdown(current, messages));
    return { reply: `The session so far, ${count(messages.length, "message")}:`, files: [file] };
  },
};

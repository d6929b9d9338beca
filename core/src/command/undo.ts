import { HermesError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { withReadableMarks } from "../model/mark.ts";
import type { Command, CommandContext } from "./command.ts";
import { refuseOthers } from "./may-change.ts";
import { takesOnly } from "./parse-command.ts";
import { offerFiles, putFilesBack } from "./undo-files.ts";
import { clip } from "./words.ts";

export const undoCommand: Command = {
  name: "undo",
  description: "Take back your last message and its answer, then the files that it changed",
  category: "Session",
  aliases: [],
  argumentHint: "[files]",
  async run(place, argument) {
    if (argument === "files") return { reply: await putFilesBack(place) };
    if (argument !== "") throw takesOnly("undo", "`files`, or no argument: `/rewind` goes back further");
    const undone = await takeBack(place);
    if (undone === null) throw new HermesError("SESSION_NOTHING_TO_UNDO", {});
    const { text, removed } = undone;
    const said = `Took back ${count(removed, "message")}, from “${escapeMarkdown(clip(withReadableMarks(text), 80))}” on.`;
    const files = await offerFiles(place, undone);
    return { reply: files === "" ? said : `${said}\n\n${files}` };
  },
};

export const retryCommand: Command = {
  name: "retry",
  description: "Ask your last message again",
  category: "Session",
  aliases: [],
  argumentHint: "",
  async run(place) {
    const undone = await takeBack(place);
    if (undone === null) throw new HermesError("SESSION_NOTHING_TO_ASK_AGAIN", {});
    const { text, files = [] } = undone;
    return {
      reply: `Asking again: “${escapeMarkdown(clip(withReadableMarks(text), 80))}”`,
      submit: text,
      isAgain: true,
      ...(files.length > 0 ? { submitFiles: files } : {}),
    };
  },
};

async function takeBack(place: CommandContext) {
  const current = await place.session();
  if (current === null) return null;
  refuseOthers(place, current);
  return place.store.turns.undoLast(current.id, place.requestId);
}

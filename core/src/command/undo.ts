import { HermesError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { withReadableMarks } from "../model/mark.ts";
import type { Command, CommandPlace } from "./command.ts";
import { clip } from "./words.ts";

export const undoCommand: Command = {
  name: "undo",
  description: "Take back your last message and its answer",
  category: "Session",
  aliases: [],
  argumentHint: "",
  async run(place) {
    const undone = await takeBack(place);
    if (undone === null) throw new HermesError("SESSION_NOTHING_TO_UNDO", {});
    const { text, removed } = undone;
    return {
      reply: `Took back ${count(removed, "message")}, from “${escapeMarkdown(clip(withReadableMarks(text), 80))}” on.`,
    };
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
    const { text } = undone;
    return {
      reply: `Asking again: “${escapeMarkdown(clip(withReadableMarks(text), 80))}”`,
      submit: text,
      isAgain: true,
    };
  },
};

async function takeBack({ session, store, requestId }: CommandPlace) {
  const current = await session();
  return current === null ? null : store.turns.undoLast(current.id, requestId);
}

import { HermesError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { Command, CommandPlace } from "./command.ts";
import { clip } from "./words.ts";

export const undoCommand: Command = {
  name: "undo",
  description: "Take back your last message and its answer",
  category: "Session",
  aliases: [],
  argumentHint: "",
  async run(place) {
    const { text, removed } = await takeBack(place, "SESSION_NOTHING_TO_UNDO");
    return { reply: `Took back ${count(removed, "message")}, from “${escapeMarkdown(clip(text, 80))}” on.` };
  },
};

export const retryCommand: Command = {
  name: "retry",
  description: "Ask your last message again",
  category: "Session",
  aliases: [],
  argumentHint: "",
  async run(place) {
    const { text } = await takeBack(place, "SESSION_NOTHING_TO_ASK_AGAIN");
    return { reply: `Asking again: “${escapeMarkdown(clip(text, 80))}”`, submit: text };
  },
};

async function takeBack(
  place: CommandPlace,
  otherwise: "SESSION_NOTHING_TO_UNDO" | "SESSION_NOTHING_TO_ASK_AGAIN",
): Promise<{ readonly text: string; readonly removed: number }> {
  const session = await place.session();
  const undone = session === null ? null : await place.store.turns.undoLast(session.id, place.requestId);
  if (undone === null) throw new HermesError(otherwise, {});
  return undone;
}

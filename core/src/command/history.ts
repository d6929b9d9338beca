import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { isSaid, readableText, speakerOf, type TranscriptMessage } from "../model/transcript.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Command } from "./command.ts";
import { takesOnly } from "./parse-command.ts";

const DEFAULT_LENGTH = 20;

export const historyCommand: Command = {
  name: "history",
  description: "Show the last messages of this session",
  category: "Session",
  aliases: [],
  argumentHint: "[how many]",
  cliOnly: true,
  async run({ store, session }, argument) {
    if (!/^(?:[1-9]\d{0,3})?$/.test(argument)) throw takesOnly("history", "a number of messages, at most 9999");
    const current = await session();
    if (current === null) return { reply: "Nothing was said in this session yet." };
    const wanted = argument === "" ? DEFAULT_LENGTH : Number(argument);
    const messages = await store.transcripts.read(current.id, { limit: wanted });
    const shown = messages.filter((message) => isSaid(message) && message.text !== "");
    if (shown.length === 0) return { reply: "Nothing was said in this session yet." };
    const parts = shown.map(async (message) => `**${await speaker(message)}**\n\n${readableText(message)}`);
    return { reply: (await Promise.all(parts)).join("\n\n") };

    async function speaker(message: TranscriptMessage): Promise<string> {
      const name = speakerOf(message);
      return name === "you"
        ? `${name}, ${escapeMarkdown(await lookUpPlace(store, message.surface ?? "terminal"))}`
        : name;
    }
  },
};

import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { Command } from "./command.ts";
import { refuseOthers } from "./may-change.ts";

export const titleCommand: Command = {
  name: "title",
  description: "Show or change the title of this session",
  category: "Session",
  aliases: ["rename"],
  argumentHint: "[title]",
  async run(place, argument) {
    const current = await place.session();
    if (argument === "") {
      const title = current?.title ?? null;
      return {
        reply: title === null ? "This session has no title yet." : `This session is **${escapeMarkdown(title)}**.`,
      };
    }
    if (current !== null) refuseOthers(place, current);
    const session = current ?? (await place.startSession());
    const title = await place.store.sessions.setTitle(session.id, argument);
    const taken = title === argument ? "" : " (the title was taken or had to be tidied)";
    return { reply: `This session is now **${escapeMarkdown(title)}**${taken}.` };
  },
};

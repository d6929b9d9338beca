import type { Command } from "./command.ts";
import { describeSessions, LIST_LENGTH, listedSessions } from "./session-list.ts";

export const sessionsCommand: Command = {
  name: "sessions",
  description: "List the sessions you can go on with here",
  category: "Session",
  aliases: [],
  argumentHint: "",
  async run(place) {
    const sessions = await listedSessions(place.store, place.visible);
    if (sessions.length === 0) return { reply: "There is no session yet. Write a message to begin one." };
    const list = await describeSessions(place, sessions, await place.session());
    const more = sessions.length === LIST_LENGTH ? " Older ones can be resumed by their title." : "";
    return { reply: `${list}\n\n\`${place.typed("resume <number>")}\` goes on with one.${more}` };
  },
};

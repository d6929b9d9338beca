import type { Command } from "./command.ts";

export const newCommand: Command = {
  name: "new",
  description: "Start a new session, with your first message if you like",
  category: "Session",
  aliases: [],
  argumentHint: "[message]",
  async run(place, argument) {
    const before = await place.session();
    if (place.leaveSession) await place.leaveSession();
    else await place.startSession();
    const kept = before === null ? "" : " The one before is kept: /sessions lists it.";
    const reply = `This is a new session.${kept}`;
    return argument === "" ? { reply } : { reply, submit: argument };
  },
};

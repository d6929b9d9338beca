import type { Command } from "./command.ts";

export const newCommand: Command = {
  name: "new",
  description: "Start a new session, with your first message if you like",
  category: "Session",
  aliases: ["clear", "reset"],
  argumentHint: "[message]",
  async run(place, argument) {
    const before = await place.session();
    // An empty session is as good as a new one; so a /new that is retried after a crash leaves no empty session behind.
    const isUnused = before !== null && before.messageCount === 0;
    if (place.leaveSession) await place.leaveSession();
    else if (!isUnused) await place.startSession();
    const kept = before === null || isUnused ? "" : ` The one before is kept: ${place.typed("sessions")} lists it.`;
    const reply = `This is a new session.${kept}`;
    return argument === "" ? { reply } : { reply, submit: argument };
  },
};

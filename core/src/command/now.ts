import type { Command } from "./command.ts";

/**
 * Says something to the answer that is being written. Whoever runs that turn takes it; where none runs, it is a message
 * like any other.
 */
export const nowCommand: Command = {
  name: "now",
  description: "Say something to the answer that is being written, without waiting for it",
  category: "Session",
  aliases: [],
  argumentHint: "<message>",
  async run(place, argument) {
    if (argument === "")
      return { reply: `Write what the agent is to read: \`${place.typed("now use the other file")}\`.` };
    return { reply: "", submit: argument };
  },
};

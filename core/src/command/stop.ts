import type { Command } from "./command.ts";

export const stopCommand: Command = {
  name: "stop",
  description: "Stop the answer that is being written",
  category: "Session",
  aliases: [],
  argumentHint: "",
  immediate: true,
  async run(place) {
    const session = await place.session();
    const stopped = session !== null && (await place.store.turns.requestStop(session.id));
    return { reply: stopped ? "Stopping; what was said so far is kept." : "Nothing is running in this session." };
  },
};

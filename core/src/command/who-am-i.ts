import type { Command } from "./command.ts";

export const whoAmICommand: Command = {
  name: "whoami",
  description: "Show who you are here and what you may do",
  category: "Info",
  aliases: [],
  argumentHint: "",
  forGuests: true,
  tellsNoSession: true,
  immediate: true,
  async run(place) {
    return { reply: await place.whoami() };
  },
};

import { HermesError } from "../base/errors.ts";
import type { Command } from "./command.ts";

export const setHomeCommand: Command = {
  name: "sethome",
  description: "Make this chat the one that sessions are handed off to",
  category: "Setup",
  aliases: [],
  argumentHint: "",
  gatewayOnly: true,
  operatorsOnly: true,
  async run(place) {
    if (place.setHome === undefined) throw new HermesError("COMMAND_NOT_HERE", { name: "sethome", where: "in a chat" });
    return { reply: await place.setHome() };
  },
};

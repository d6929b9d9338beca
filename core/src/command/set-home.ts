import { HermesError } from "../base/errors.ts";
import type { Command } from "./command.ts";
import { takesOnly } from "./parse-command.ts";

export const setHomeCommand: Command = {
  name: "sethome",
  description: "Make this chat, or this thread, the one that sessions are handed off to",
  category: "Setup",
  aliases: [],
  argumentHint: "[chat]",
  gatewayOnly: true,
  operatorsOnly: true,
  tellsNoSession: true,
  async run(place, argument) {
    if (place.setHome === undefined) throw new HermesError("COMMAND_NOT_HERE", { name: "sethome", where: "in a chat" });
    const word = argument.toLowerCase();
    if (!["", "chat"].includes(word)) throw takesOnly("sethome", "`chat` for the whole chat, or no argument");
    return { reply: await place.setHome({ wholeChat: word === "chat" }) };
  },
};

import { HermesError } from "../base/errors.ts";
import type { Command } from "./command.ts";

export const handOffCommand: Command = {
  name: "handoff",
  description: "Hand this session off to a platform and go on there",
  category: "Session",
  aliases: [],
  argumentHint: "<platform>",
  cliOnly: true,
  async run(place, argument) {
    if (place.handOff === undefined) {
      throw new HermesError("COMMAND_NOT_HERE", { name: "handoff", where: "in the terminal" });
    }
    if (argument === "") {
      throw new HermesError("USAGE", {
        reason: `Say to which platform, such as \`${place.typed("handoff <platform>")}\``,
        command: "hermes handoff",
      });
    }
    return place.handOff(argument.toLowerCase());
  },
};

import { HermesError } from "../base/errors.ts";
import type { Command } from "./command.ts";

export const handOffCommand: Command = {
  name: "handoff",
  description: "Hand this session off to another place and go on there",
  category: "Session",
  aliases: [],
  argumentHint: "<place>",
  operatorsOnly: true,
  async run(place, argument) {
    if (place.handOff === undefined) {
      throw new HermesError("COMMAND_NOT_HERE", { name: "handoff", where: "in the terminal" });
    }
    const words = argument.split(/\s+/).filter((word) => word !== "");
    const stays = words.includes("--stay");
    const where = words.filter((word) => word !== "--stay").join(" ");
    if (stays && place.surface !== "terminal") {
      throw new HermesError("USAGE", {
        reason: "`--stay` keeps a terminal open; your chat stays where it is anyway",
        command: "hermes handoff",
      });
    }
    if (where === "") {
      throw new HermesError("USAGE", {
        reason: `Say to which place, such as \`${place.typed("handoff <platform>")}\``,
        command: "hermes handoff",
      });
    }
    return place.handOff(where, { stays });
  },
};

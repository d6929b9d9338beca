import { HermesError } from "../base/errors.ts";
import type { Command } from "./command.ts";

export const diffCommand: Command = {
  name: "diff",
  description: "Show what differs in the session's folder",
  category: "Info",
  aliases: [],
  argumentHint: "",
  cliOnly: true,
  async run(place) {
    const session = await place.session();
    if (session === null || place.showDiff === undefined) throw new HermesError("SESSION_NOTHING_TO_UNDO", {});
    return { reply: await place.showDiff(session) };
  },
};

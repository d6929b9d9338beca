import { HermesError } from "../base/errors.ts";
import { readCode } from "../model/code.ts";
import type { Command } from "./command.ts";
import { sessionName } from "./session-list.ts";
import { takePass } from "./take-pass.ts";

export const continueCommand: Command = {
  name: "continue",
  description: "Go on here with the session that a pass gives",
  category: "Session",
  aliases: [],
  argumentHint: "<pass>",
  async run(place, argument) {
    // Where a platform's private chat had it, it was used before any command runs.
    const code = readCode(argument);
    if (code === null || place.surface !== "terminal") throw new HermesError("CODE_INVALID", {});
    const session = await takePass(place, code);
    await place.switchTo(session);
    return { reply: `You go on here with **${sessionName(session)}**.` };
  },
};

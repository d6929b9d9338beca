import { HermesError } from "../base/errors.ts";
import { compactionSizes } from "../model/compaction.ts";
import type { Command } from "./command.ts";

export const compactCommand: Command = {
  name: "compact",
  description: "Summarise the start of this session for the model; you can say what matters",
  category: "Session",
  aliases: ["compress", "summarize"],
  argumentHint: "[what matters]",
  async run(place, argument) {
    const session = await place.session();
    if (session === null || place.compact === undefined) {
      throw new HermesError("COMPACTION_NOTHING", { reason: "nothing was said in it yet" });
    }
    // Others of a chat that people share read it, and it is not theirs to shorten.
    if (!place.isOperator && session.user !== place.user) throw new HermesError("NOT_ALLOWED", {});
    const made = await place.compact(session, argument === "" ? null : argument);
    return { reply: `Compacted: ${compactionSizes(made)}. The transcript keeps everything.` };
  },
};

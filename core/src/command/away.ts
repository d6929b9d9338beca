import { HermesError } from "../base/errors.ts";
import { awayIs, awayNow, setAway } from "../handoff/set-away.ts";
import { REST_MS, readRest } from "../model/away.ts";
import type { Command, CommandContext } from "./command.ts";

export const awayCommand: Command = {
  name: "away",
  description: "Have this session go to a place by itself when you leave the terminal",
  category: "Session",
  aliases: [],
  argumentHint: "[<place>|off]",
  cliOnly: true,
  immediate: true,
  async run(place, argument) {
    const session = await place.session();
    if (argument === "")
      return { reply: await awayNow(place.store, session?.id ?? null, (words) => place.typed(words)) };
    if (argument.toLowerCase() === "off") {
      const wasSet = session !== null && (await place.store.away.clear(session.id));
      return { reply: wasSet ? "Away is off: this session stays here." : "Away was not set." };
    }
    const { where, restMs, yes } = readWish(place, argument);
    const { id } = session ?? (await place.startSession());
    const away = await setAway(place, {
      sessionId: id,
      where,
      restMs,
      by: place.user,
      yes,
      again: (words) => place.typed(words),
    });
    return { reply: awayIs(away, place.typed("away off")) };
  },
};

/** Reads `<where> [--rest 10m] [--yes]`. */
function readWish(place: CommandContext, argument: string) {
  const words = argument.split(/\s+/);
  const yes = words.includes("--yes");
  const at = words.indexOf("--rest");
  const restMs = at < 0 ? REST_MS : readRest(words[at + 1] ?? "");
  const where = words.filter((word, index) => word !== "--yes" && (at < 0 || (index !== at && index !== at + 1)));
  if (restMs === null || where.length === 0) {
    const reason = `Say where to, such as \`${place.typed("away <place> --rest 10m")}\``;
    throw new HermesError("USAGE", { reason, command: "hermes away" });
  }
  return { where: where.join(" "), restMs, yes };
}

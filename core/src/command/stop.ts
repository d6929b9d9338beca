import type { Session, SessionId } from "../model/session.ts";
import { userOf } from "../store/current-rights.ts";
import type { Command, CommandContext } from "./command.ts";
import { mayChange } from "./may-change.ts";

export const stopCommand: Command = {
  name: "stop",
  description: "Stop the answer that is being written",
  category: "Session",
  aliases: [],
  argumentHint: "",
  forGuests: true,
  immediate: true,
  runsAnyway: true,
  async run(place) {
    const session = await place.session();
    const stopped =
      session !== null && (await mayStop(place, session)) && (await place.store.turns.requestStop(session.id));
    return { reply: stopped ? "Stopping; what was said so far is kept." : "Nothing is running in this session." };
  },
};

/** Whether somebody may stop the turn of a session: whoever may change it, and whom the turn works for. */
export async function mayStop(place: CommandContext, session: Session): Promise<boolean> {
  return mayChange(place, session) || (await isTurnOf(place, session.id));
}

/** Whether the turn of a session works for whoever writes. */
async function isTurnOf({ store, user }: CommandContext, sessionId: SessionId): Promise<boolean> {
  const author = (await store.turns.running(sessionId))?.author ?? null;
  return author !== null && (await userOf(store, author)) === user;
}

import { HermesError } from "../base/errors.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { OPERATOR } from "../model/session.ts";
import { referenceTo } from "../store/look-up-session.ts";
import type { Command } from "./command.ts";
import { refuseOthers } from "./may-change.ts";
import { requestOfNumber, requestsOf } from "./own-requests.ts";
import { sessionName } from "./session-list.ts";

export const forkCommand: Command = {
  name: "fork",
  description: "Go on in a copy of this session: all of it, or up to your n-th message and its answer",
  category: "Session",
  aliases: ["branch"],
  argumentHint: "[n]",
  async run(place, argument) {
    const { store, surface, requestId: once } = place;
    const session = await place.session();
    if (session === null || session.messageCount === 0) throw new HermesError("SESSION_NOTHING_TO_UNDO", {});
    refuseOthers(place, session);
    const upTo = argument === "" ? null : requestOfNumber(await requestsOf(store, session.id), argument);
    // Of what somebody else began, a copy is no more theirs than the session: they may lose the right to see it.
    const user = session.user === place.user ? place.user : OPERATOR;
    const at = { sessionId: session.id, upTo: upTo?.lastSeq ?? null };
    const fork = await store.sessions.fork({ ...at, user, surface, once });
    await place.switchTo(fork);
    const until = upTo === null ? "" : ` up to “${escapeMarkdown(upTo.text)}” and its answer`;
    const back = `\`${place.typed(`resume ${await referenceTo(store, session, place.visible)}`)}\` leads back.`;
    return { reply: `You go on in **${sessionName(fork)}**: a copy of **${sessionName(session)}**${until}. ${back}` };
  },
};

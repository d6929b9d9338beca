import { count } from "../base/text.ts";
import { refuseWhileInFlight } from "../handoff/handoff-in-flight.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { withReadableMarks } from "../model/mark.ts";
import type { Session } from "../model/session.ts";
import { questionLine } from "../model/session-state.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Command, CommandContext } from "./command.ts";
import { findSession } from "./find-session.ts";
import { describeSessions, listedSessions, sessionName } from "./session-list.ts";
import { clip, sayAgo } from "./words.ts";

export const resumeCommand: Command = {
  name: "resume",
  description: "Go on with a session here",
  category: "Session",
  aliases: [],
  argumentHint: "[title|number]",
  async run(place, argument) {
    if (argument === "") return { reply: await offerSessions(place) };
    const session = await findSession(place.store, argument, place.visible);
    await refuseWhileInFlight(place, session.id);
    if ((await place.session())?.id === session.id) {
      return { reply: `You are in **${sessionName(session)}** already.` };
    }
    await place.switchTo(session);
    return { reply: await describeResumed(place, session) };
  },
};

async function offerSessions(place: CommandContext): Promise<string> {
  const sessions = await listedSessions(place.store, place.visible);
  if (sessions.length === 0) return "There is no session to go on with yet. Write a message to begin one.";
  const list = await describeSessions(place, sessions, await place.session());
  return `${list}\n\nGo on with one by its number or title, such as \`${place.typed("resume 1")}\`.`;
}

/** Describes the resumed session, so that nobody has to scroll back. The terminal shows the messages itself. */
async function describeResumed({ store, clock, surface, typed }: CommandContext, session: Session): Promise<string> {
  const [place, running, messages] = await Promise.all([
    lookUpPlace(store, session.lastSurface),
    store.turns.running(session.id),
    store.transcripts.read(session.id, { limit: 30 }),
  ]);
  const used = `last used ${sayAgo(clock.now(), session.updatedAt)} ${escapeMarkdown(place)}`;
  const lines = [`Resumed **${sessionName(session)}** (${count(session.messageCount, "message")}, ${used}).`];
  const request = messages.findLast((message) => message.role === "user" && !message.internal);
  const answer = messages.findLast((message) => message.role === "assistant" && message.text !== "");
  const isQuoted = surface !== "terminal";
  if (isQuoted && request) lines.push(`Last request: ${escapeMarkdown(clip(withReadableMarks(request.text), 200))}`);
  if (isQuoted && answer) lines.push(`Last answer: ${escapeMarkdown(clip(answer.text, 300))}`);
  if (running) {
    const where = escapeMarkdown(await lookUpPlace(store, running.surface));
    lines.push(
      running.state === "waiting"
        ? `A turn waits in it ${where}; ${typed("stop")} ends it.`
        : `A turn is running in it ${where}; your next message waits for it, and ${typed("stop")} ends it.`,
    );
    const questions = await store.approvals.open(session.id);
    lines.push(...questions.map((question) => `${questionLine(question)}.`));
  }
  return lines.join("\n\n");
}

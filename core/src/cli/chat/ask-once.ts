import { HermesError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import type { Approval } from "../../model/approval.ts";
import type { SessionId } from "../../model/session.ts";
import type { CliContext } from "../context.ts";
import { askAboutHomes } from "../home/ask.ts";
import { ChatSession } from "./chat-session.ts";
import { readMentioned } from "./mentions.ts";
import { collectSentFiles } from "./sent-files.ts";
import type { ChatOptions } from "./tokens.ts";
import { TurnPrinter } from "./turn-printer.ts";
import {
  denyUnasked,
  NOBODY_ASKED_EXIT,
  noteDenied,
  noteWaiting,
  questionDocument,
  refuseWhileWaiting,
} from "./unasked.ts";

interface Question extends ChatOptions {
  readonly query: string;
  /** The part of it whose files behind an `@` go along: what is piped in names none. */
  readonly typed: string;
}

/**
 * `hermes chat -q`: one message, one answer. Ctrl-C stops the turn, as does the end of its terminal; what was said is kept.
 * Returns 75 where something was denied since nobody could be asked, or waits for an answer.
 */
export async function askOnce(context: CliContext, host: Host, question: Question): Promise<number> {
  const { io, output } = context;
  const { query, typed, mode, waits } = question;
  const stop = new AbortController();
  using _interrupt = io.onSignal("SIGINT", () => stop.abort());
  using _hangUp = io.onSignal("SIGHUP", () => stop.abort());
  using _terminate = io.onSignal("SIGTERM", () => stop.abort());

  await askAboutHomes(host, output, null);
  const session = await new ChatSession(host, question, io.workingDirectory).forMessage(query);
  output.besideError = { sessionId: session.id, text: null };
  await refuseWhileWaiting(host, session.id);
  if (mode !== undefined) await host.store.sessions.setMode(session.id, mode);
  const sent = collectSentFiles();
  const options = { signal: stop.signal, onEvent: sent.onEvent };
  const printer = new TurnPrinter(output, host);
  const denied: Approval[] = [];
  const { text: attached, notes, files } = await readMentioned(host, session, typed);
  for (const note of notes) output.note(note);
  let said = await printer.say(session.id, query, { ...options, attached, files });
  while (said.state === "parked") {
    if ((await host.store.turns.get(said.turn.id))?.waitsFor === "handoff") {
      output.document({ sessionId: session.id, text: null });
      output.note("The session is being handed off: its answer is given there.");
      return 0;
    }
    if (waits) return leaveWaiting(context, host, session.id);
    const unasked = await denyUnasked(host, said.turn.id);
    denied.push(...unasked);
    try {
      said = await printer.goOn(said.turn, options);
    } catch (error) {
      if (!(error instanceof HermesError) || error.code !== "LIMIT_REACHED") throw error;
      output.error(error);
      return NOBODY_ASKED_EXIT;
    }
  }
  if (said.state !== "answered") {
    const stopped = new HermesError("TURN_STOPPED", { sessionId: session.id });
    // For people that was said already, where it happened.
    if (output.json) output.error(stopped);
    return stopped.exit;
  }
  const questions = denied.map(questionDocument);
  output.document({
    ...{ sessionId: session.id, text: said.text, ...sent.document() },
    ...(denied.length === 0 ? {} : { denied: questions }),
  });
  noteDenied(output, denied);
  // Where every message is asked like this, nobody else would ever do it. The answer is out; a failure changes nothing.
  await host.store.prune().catch(() => 0);
  return denied.length === 0 ? 0 : NOBODY_ASKED_EXIT;
}

async function leaveWaiting({ output }: CliContext, { store }: Host, sessionId: SessionId): Promise<number> {
  const open = await store.approvals.open(sessionId);
  output.document({ sessionId, text: null, waiting: open.map(questionDocument) });
  noteWaiting(output, open);
  return NOBODY_ASKED_EXIT;
}

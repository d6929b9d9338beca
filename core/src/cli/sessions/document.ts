import type { Session } from "../../model/session.ts";
import { shownCall, type TranscriptMessage } from "../../model/transcript.ts";

/** A session as `--json` prints it. */
export function sessionDocument(session: Session) {
  const { id, title, user, origin, lastSurface, model, workingDirectory, messageCount, createdAt, updatedAt } = session;
  return { id, title, user, origin, lastSurface, model, workingDirectory, messageCount, createdAt, updatedAt };
}

/** A session with its messages as `--json` and an export print it. */
export function transcriptDocument(session: Session, messages: readonly TranscriptMessage[]) {
  return { ...sessionDocument(session), messages: messages.map(messageDocument) };
}

function messageDocument({ role, text, toolCalls, toolCallId, internal, createdAt }: TranscriptMessage) {
  return {
    role,
    text,
    ...(toolCalls?.length ? { toolCalls: toolCalls.map(shownCall) } : {}),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(internal ? { internal } : {}),
    createdAt,
  };
}

import type { FileRef } from "../base/file-ref.ts";
import type { Compaction } from "../model/compaction.ts";
import type { Session } from "../model/session.ts";
import type { SessionState } from "../model/session-state.ts";
import { shownCall, type TranscriptMessage } from "../model/transcript.ts";

/** A session as `--json` prints it. */
export function sessionDocument(session: Session) {
  const { id, title, user, origin, lastSurface, model, workingDirectory, messageCount, createdAt, updatedAt } = session;
  return { id, title, user, origin, lastSurface, model, workingDirectory, messageCount, createdAt, updatedAt };
}

/** A session with its messages as `--json` and an export print it. `paths`: where their files lie, by hash. */
export function transcriptDocument(
  session: Session,
  messages: readonly TranscriptMessage[],
  paths: ReadonlyMap<string, string> = new Map(),
) {
  return { ...sessionDocument(session), messages: messages.map((message) => messageDocument(message, paths)) };
}

/** A compaction as `--json` prints it. */
export function compactionDocument({ upTo, messages, tokensBefore, tokensAfter, createdAt }: Compaction) {
  return { upTo, messages, tokensBefore, tokensAfter, createdAt };
}

/** Where a session stands, as `--json` prints it: what its model said, or else what its transcript shows. */
export function stateDocument({ said, ...state }: SessionState) {
  const { task, progress, decisions, nextStep, openQuestions, files, questions, todo } = state;
  return {
    ...{ from: said === null ? "transcript" : "model", model: said?.model ?? null, at: said?.at ?? null },
    task,
    progress,
    decisions,
    nextStep,
    openQuestions,
    files,
    questions: questions.map(({ code, tool, summary }) => ({ code, tool, summary })),
    todo,
  };
}

function messageDocument(
  { role, text, toolCalls, toolCallId, files = [], internal, createdAt }: TranscriptMessage,
  paths: ReadonlyMap<string, string>,
) {
  const withPath = (file: FileRef) => ({ ...file, ...(paths.has(file.hash) ? { path: paths.get(file.hash) } : {}) });
  return {
    role,
    text,
    ...(toolCalls?.length ? { toolCalls: toolCalls.map(shownCall) } : {}),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(files.length > 0 ? { files: files.map(withPath) } : {}),
    ...(internal ? { internal } : {}),
    createdAt,
  };
}

import type { TranscriptMessage } from "../model/transcript.ts";

/** What Hermes noted since a request that runs again stands before it: a model answers what comes last. */
export function requestLast(messages: readonly TranscriptMessage[], requestSeq: number): readonly TranscriptMessage[] {
  const isNote = ({ seq, turnId }: TranscriptMessage) => seq > requestSeq && turnId === null;
  const notes = messages.filter(isNote);
  if (notes.length === 0) return messages;
  const rest = messages.filter((message) => !isNote(message));
  return rest.flatMap((message) => (message.seq === requestSeq ? [...notes, message] : [message]));
}

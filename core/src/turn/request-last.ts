import type { TranscriptMessage } from "../model/transcript.ts";

/** Moves notes written since a retried request in front of it, because a model answers the last message. */
export function requestLast(messages: readonly TranscriptMessage[], requestSeq: number): readonly TranscriptMessage[] {
  const isNote = ({ seq, turnId }: TranscriptMessage) => seq > requestSeq && turnId === null;
  const notes = messages.filter(isNote);
  if (notes.length === 0) return messages;
  const rest = messages.filter((message) => !isNote(message));
  return rest.flatMap((message) => (message.seq === requestSeq ? [...notes, message] : [message]));
}

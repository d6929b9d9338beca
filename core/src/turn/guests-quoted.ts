import { OPERATOR, type Session } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { TurnId } from "../model/turn.ts";
import { quotedGuest, withGuestsWordsQuoted, writtenBy } from "../model/writer-mark.ts";

/**
 * What the model reads of a transcript in a turn: where an operator asks, what people wrote who may not use tools is
 * quoted data. Where such a person asks, no tool runs, and the words stay as they are.
 */
export function guestsQuoted(
  messages: readonly TranscriptMessage[],
  { user, origin }: Pick<Session, "user" | "origin">,
  turnId: TurnId,
): readonly TranscriptMessage[] {
  const isPersons = ({ role, internal }: TranscriptMessage) => role === "user" && !internal;
  /** Written in the private chat of whoever began the session, where there are no marks: nobody else writes there. */
  const isOwners = ({ text, surface }: TranscriptMessage) =>
    user !== OPERATOR && surface === origin && writtenBy(text) === null;

  const request = messages.find((message) => message.turnId === turnId && isPersons(message));
  if (request && writtenBy(request.text) === "guest") return messages;
  const isOwnersTurn = request !== undefined && isOwners(request);
  return messages.map((message) => {
    if (!isPersons(message)) return message;
    const isQuoted = isOwners(message) && !isOwnersTurn;
    const text = isQuoted ? quotedGuest(message.text) : withGuestsWordsQuoted(message.text);
    return text === message.text ? message : { ...message, text };
  });
}

import type { Session } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { TurnId } from "../model/turn.ts";
import { quotedGuest, withGuestsWordsQuoted, writtenBy } from "../model/writer-mark.ts";

/**
 * What the model reads of a transcript in a turn: where an operator asks, what people wrote who may not use tools is
 * quoted data, as the marks say who that is. Where such a person asks, no tool runs, and the words stay as they are, but
 * with `always`.
 */
export function guestsQuoted(
  messages: readonly TranscriptMessage[],
  { origin, unmarkedUntil }: Pick<Session, "origin" | "unmarkedUntil">,
  turnId: TurnId,
  { always = false }: { readonly always?: boolean } = {},
): readonly TranscriptMessage[] {
  const isPersons = ({ role, internal }: TranscriptMessage) => role === "user" && !internal;
  /** Of an earlier version, which marked nobody in the private chat of whoever began the session. */
  const isOwners = ({ text, surface, seq }: TranscriptMessage) =>
    seq <= unmarkedUntil && surface === origin && writtenBy(text) === null;

  const request = messages.find((message) => message.turnId === turnId && isPersons(message));
  if (!always && request && writtenBy(request.text) === "guest") return messages;
  const isOwnersTurn = request !== undefined && isOwners(request);
  return messages.map((message) => {
    if (!isPersons(message)) return message;
    const isQuoted = isOwners(message) && !isOwnersTurn;
    const text = isQuoted ? quotedGuest(message.text) : withGuestsWordsQuoted(message.text);
    // Their pictures are named in that, and not shown: who reads them cannot tell them from the operator's.
    return text === message.text ? message : { ...message, text, files: [] };
  });
}

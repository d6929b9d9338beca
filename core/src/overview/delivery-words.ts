import type { UndeliveredMessage } from "../model/delivery.ts";

/** What became of a message, in words. */
export function stateWords({ state, pieces, wasOffered, isHeldBack }: UndeliveredMessage): string {
  const left = pieces.left < pieces.all ? `, ${pieces.left} of ${pieces.all} parts` : "";
  const part = isHeldBack && state !== "waiting" ? `${left}, to be sent by hand` : left;
  switch (state) {
    case "failed":
      return `refused${part}${wasOffered ? ", also when it was offered again" : ""}`;
    case "uncertain":
      return `may not have arrived${part}${wasOffered ? ", offered again" : ""}`;
    case "waiting":
      return `still to be sent${part}`;
  }
}

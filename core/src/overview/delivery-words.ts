import type { UndeliveredMessage } from "../model/delivery.ts";

/** What became of a message, in words. */
export function stateWords({ state, pieces, wasOffered }: UndeliveredMessage): string {
  const part = pieces.left < pieces.all ? `, ${pieces.left} of ${pieces.all} parts` : "";
  switch (state) {
    case "failed":
      return `refused${part}${wasOffered ? ", also when it was offered again" : ""}`;
    case "uncertain":
      return `may not have arrived${part}${wasOffered ? ", offered again" : ""}`;
    case "waiting":
      return `still to be sent${part}`;
  }
}

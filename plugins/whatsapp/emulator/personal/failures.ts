import { type PlayableFailure, playable, refusals } from "@hermes/emulator";

/** Codes of the server, in the error of a query or in the acknowledgement of a message. */
const REFUSALS = {
  400: "The request is refused.",
  401: "The account may not do that.",
  403: "The account is not in the group, or may not write there.",
  404: "There is no such chat.",
  429: "Too much was asked.",
  463: "The account is kept from writing to people it does not know.",
  479: "The message is refused.",
  500: "Something in WhatsApp went wrong.",
  503: "WhatsApp is out of order for now.",
};

export const FAILURES: readonly PlayableFailure[] = [
  ...playable(["break", "disconnect"], ["connect"]),
  ...playable(["break", "hang", "disconnect"], ["send", "edit", "home", "message"]),
  ...playable(["break-after", "drop-answer"], ["send", "edit", "message"]),
  ...refusals(REFUSALS, ["send", "edit", "home", "message"]),
  ...playable(["redeliver", "out-of-order"], ["deliver"]),
];

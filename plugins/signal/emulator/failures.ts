import { type PlayableFailure, playable, refusals } from "@hermes/emulator";
import { METHODS } from "./methods.ts";

/** Calls in Hermes' words, and by signal-cli's own names. */
const CALLS = [...new Set(["send", "edit", "typing", "home", ...Object.keys(METHODS)])];

/** Results of a send by signal-cli's own names, and errors of the daemon. */
const REFUSALS = {
  UNREGISTERED_FAILURE: "The person is not on Signal any more.",
  IDENTITY_FAILURE: "The person's safety number has changed, and nobody has confirmed the new one.",
  RATE_LIMIT_FAILURE: "Signal takes no more messages for a day.",
  PROOF_REQUIRED_FAILURE: "Signal wants a captcha solved first.",
  NETWORK_FAILURE: "The connection to Signal's server broke, before or after it took the message.",
  INVALID_PRE_KEY_FAILURE: "The person's keys are broken.",
  GROUP_NOT_FOUND: "The account does not know the group.",
  NOT_A_GROUP_MEMBER: "The account is not in the group.",
  SENDING_NOT_ALLOWED: "Nobody but administrators may write in the group.",
  UNAUTHORIZED: "The account was removed from this device.",
  TOO_MANY_REQUESTS: "Signal's server takes no more requests for now.",
  IO_ERROR: "The connection to Signal's server broke.",
  INVALID_STYLE: "The formatting is refused.",
  CONTENT_TOO_LARGE: "Signal's store of attachments finds the file too large.",
  ATTACHMENT_INVALID: "The file is refused.",
  METHOD_NOT_FOUND: "The daemon is too old for the method.",
};

export const FAILURES: readonly PlayableFailure[] = [
  ...playable(["rate-limit", "break", "break-after", "bad-gateway", "drop-answer", "hang", "disconnect"], CALLS),
  ...refusals(REFUSALS, CALLS),
  ...playable(["break", "disconnect"], ["connect"]),
  ...playable(["redeliver", "out-of-order"], ["deliver"]),
];

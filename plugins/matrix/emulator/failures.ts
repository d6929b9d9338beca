import { type PlayableFailure, playable, refusals } from "@hermes/emulator";

/** Codes of the client-server API ("Standard error response"). */
const REFUSALS = {
  M_UNKNOWN_TOKEN: "The access token is not known (any more).",
  M_MISSING_TOKEN: "There is no access token.",
  M_USER_DEACTIVATED: "The account was deactivated.",
  M_FORBIDDEN: "The bot may not do that there.",
  M_NOT_FOUND: "There is no such thing.",
  M_TOO_LARGE: "The event is larger than one may be.",
  M_LIMIT_EXCEEDED: "Too much was asked; a second later it may succeed.",
  M_BAD_JSON: "The content is refused.",
  M_NOT_JSON: "The body is no JSON.",
  M_INVALID_PARAM: "A parameter is refused.",
  M_UNRECOGNIZED: "The homeserver does not know the call.",
  M_UNKNOWN: "Something else is wrong; what, stands behind the colon.",
};

/** What can be played; `names` are the homeserver's own names of the calls. */
export function failuresOf(names: readonly string[]): readonly PlayableFailure[] {
  const own = ["connect", "send", "edit", "createThread", "deleteThread", "typing", "home"];
  const calls = [...new Set([...own, "sync", ...names])];
  return [
    ...playable(["rate-limit", "break", "break-after", "bad-gateway", "drop-answer", "hang", "disconnect"], calls),
    ...refusals(REFUSALS, calls),
    ...playable(["redeliver", "out-of-order"], ["deliver"]),
  ];
}

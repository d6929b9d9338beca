import { type ApiRefusal, type PlayableFailure, playable, refusals } from "@hermes/emulator";
import {
  badRequest,
  gatewayTimeout,
  imessageError,
  notFound,
  privateApiOff,
  scriptFailed,
  sendFailed,
  serverError,
  unauthorized,
} from "./refusal.ts";
import { ROUTES } from "./routes.ts";

/** Calls in Hermes' words, and by the server's own names. */
const CALLS = [...new Set(Object.entries(ROUTES).flatMap(([name, { operation }]) => [operation, name]))];

interface NamedRefusal {
  readonly says: string;
  make(operation: string): ApiRefusal;
}

/** Refusals by names of this emulator, since the server has none for most of them. */
const NAMED: Readonly<Record<string, NamedRefusal>> = {
  UNAUTHORIZED: { says: "The password is wrong.", make: unauthorized },
  NOT_FOUND: {
    says: "The chat or message is not there.",
    make: () => notFound("Chat does not exist!"),
  },
  BAD_REQUEST: { says: "A field is missing or wrong.", make: () => badRequest("The chatGuid field is required.") },
  ALREADY_QUEUED: {
    says: "A message of that name is being sent.",
    make: () => badRequest("Message is already queued to be sent! (Temp GUID: temp)"),
  },
  ERROR_22: {
    says: "The person is not on iMessage.",
    make: () => sendFailed("Message", { guid: "00000000-0000-0000-0000-000000000022", error: 22 }),
  },
  ERROR_4: {
    says: "Messages could not send in time.",
    make: () => sendFailed("Message", { guid: "00000000-0000-0000-0000-000000000004", error: 4 }),
  },
  UNMATCHED: {
    says: "The server lost sight of what it sent, which may have arrived.",
    make: () => sendFailed("Message", null),
  },
  SIGNED_OUT: {
    says: "Nobody is signed in to Messages.",
    make: () =>
      scriptFailed(
        "Message",
        "execution error: Messages got an error: Can’t get 1st account whose enabled = true. (-1728)",
      ),
  },
  NO_SUCH_CHAT: {
    says: "Messages knows no such chat.",
    make: () => scriptFailed("Message", 'execution error: Messages got an error: Can’t get chat id "gone". (-1728)'),
  },
  NOT_PERMITTED: {
    says: "The server may not control Messages: macOS asks for a permission that nobody gave.",
    make: () => scriptFailed("Message", "execution error: Not authorized to send Apple events to Messages. (-1743)"),
  },
  PRIVATE_API_OFF: { says: "The private API is off.", make: privateApiOff },
  IMESSAGE_ERROR: {
    says: "Messages failed, and says no more.",
    make: () => imessageError("iMessage has encountered an error", "Unknown iMessage Error"),
  },
  GATEWAY_TIMEOUT: { says: "The server did not get done in time.", make: gatewayTimeout },
};

const REFUSALS = Object.fromEntries(Object.entries(NAMED).map(([code, { says }]) => [code, says]));

export const FAILURES: readonly PlayableFailure[] = [
  ...playable(["break", "break-after", "bad-gateway", "drop-answer", "hang", "disconnect"], CALLS),
  ...refusals(REFUSALS, CALLS),
  ...playable(["break", "disconnect", "hang"], ["connect"]),
  ...playable(["redeliver", "out-of-order", "lose"], ["deliver"]),
];

/** A refusal by its code, with a text of the script's own behind a colon. */
export function refuseAs(code: string, operation: string): ApiRefusal {
  const [name = ""] = code.split(": ");
  return NAMED[name]?.make(operation) ?? serverError(code);
}

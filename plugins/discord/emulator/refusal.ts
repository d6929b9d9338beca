import { ApiRefusal } from "@hermes/emulator";

/** Codes that the emulator answers with (API reference, "JSON Error Codes"), with the HTTP status of each. */
const CODES: Readonly<Record<number, readonly [status: number, message: string]>> = {
  0: [401, "401: Unauthorized"],
  10003: [404, "Unknown Channel"],
  10004: [404, "Unknown Guild"],
  10007: [404, "Unknown Member"],
  10008: [404, "Unknown Message"],
  10013: [404, "Unknown User"],
  10062: [404, "Unknown interaction"],
  40005: [413, "Request entity too large"],
  40058: [400, "Cannot send a message in a forum channel"],
  40060: [400, "Interaction has already been acknowledged."],
  40066: [403, "There are no tags available that can be set by non-moderators"],
  40067: [400, "A tag is required to create a forum post in this channel"],
  50001: [403, "Missing Access"],
  50003: [403, "Cannot execute action on a DM channel"],
  50005: [403, "Cannot edit a message authored by another user"],
  50006: [400, "Cannot send an empty message"],
  50007: [403, "Cannot send messages to this user"],
  50008: [400, "Cannot send messages in a non-text channel"],
  50013: [403, "Missing Permissions"],
  50024: [400, "Cannot execute action on this channel type"],
  50033: [400, "Invalid Recipient(s)"],
  50083: [400, "Thread is archived"],
  400001: [403, "Access to file uploads has been limited for this guild"],
  160004: [400, "A thread has already been created for this message"],
  160005: [400, "Thread is locked"],
  160006: [400, "Maximum number of active threads reached"],
  160007: [400, "Maximum number of active announcement threads reached"],
};

/** The codes that the emulator knows, each in a sentence. */
export const REFUSALS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CODES).map(([code, [status, message]]) => [code, `The answer is ${status}: “${message}”.`]),
);

export function refusal(code: number): ApiRefusal {
  const [status, message] = CODES[code] ?? [400, `Error ${code}`];
  return new ApiRefusal(status, { message, code });
}

/** A field of the body that is not as it has to be (code 50035). */
export function invalidField(path: string, code: string, message: string): ApiRefusal {
  const errors = path
    .split(".")
    .reduceRight<unknown>((inner, name) => ({ [name]: inner }), { _errors: [{ code, message }] });
  return new ApiRefusal(400, { message: "Invalid Form Body", code: 50035, errors });
}

export function rateLimited(retryAfterMs: number): ApiRefusal {
  const seconds = retryAfterMs / 1000;
  const headers = { "retry-after": String(seconds), "x-ratelimit-scope": "user" };
  return new ApiRefusal(429, { message: "You are being rate limited.", retry_after: seconds, global: false }, headers);
}

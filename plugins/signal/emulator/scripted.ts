import type { Params } from "./params.ts";
import { groupNotFound, notAMember, Refusal, sendingNotAllowed, userError } from "./refusal.ts";
import { succeeded } from "./sending.ts";
import type { ResultType, WireResult } from "./wire.ts";
import { SELF, type World } from "./world.ts";

/** Refusals that a script may ask for by name, beside the results of a send by theirs. */
const BY_NAME: Readonly<Record<string, (id: string) => Refusal>> = {
  GROUP_NOT_FOUND: groupNotFound,
  NOT_A_GROUP_MEMBER: (id) => notAMember(id, "A group"),
  SENDING_NOT_ALLOWED: (id) => sendingNotAllowed(id, "A group"),
  UNAUTHORIZED: () =>
    new Refusal(-32603, "Failed to send message: [401] Authorization failed! (AuthorizationFailedException)"),
  TOO_MANY_REQUESTS: () =>
    new Refusal(-32603, "Failed to send message: [429] Rate limit exceeded: 429 (RateLimitException)"),
  IO_ERROR: () => new Refusal(-3, "Failed to send message: timeout (SocketTimeoutException)"),
  INVALID_STYLE: () => userError("Invalid style: WAVY"),
  ATTACHMENT_INVALID: () => userError("Failed to send message: Failed to add attachment (AttachmentInvalidException)"),
  METHOD_NOT_FOUND: () => new Refusal(-32601, "Method not implemented"),
};

/** A refusal in the daemon's words: of one of the names above, or that each recipient had this result. */
export function refuseAs(world: World, params: Params, code: string, retryAfterSeconds?: number): Refusal {
  const [id = ""] = [...params.list("groupId"), ...params.list("recipient")];
  const named = BY_NAME[code];
  if (named) return named(id);
  const isProof = code === "PROOF_REQUIRED_FAILURE";
  const result = {
    type: (isProof ? "RATE_LIMIT_FAILURE" : code) as ResultType,
    ...(isProof ? { token: "4711-challenge" } : {}),
    ...(isProof || retryAfterSeconds !== undefined ? { retryAfterSeconds: retryAfterSeconds ?? 86_400 } : {}),
  };
  const person = world.person(id);
  const people = person ? [person] : (world.group(id)?.members ?? [SELF]);
  const results = people.map(({ uuid, number }): WireResult => ({ recipientAddress: { uuid, number }, ...result }));
  try {
    succeeded({ timestamp: world.newTimestamp(), results });
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error(`${code} is no refusal`);
}

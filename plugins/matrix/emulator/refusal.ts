import { ApiRefusal } from "@hermes/emulator";

/** What a homeserver answers instead of a result ("API Standards"). */
export class Refusal extends ApiRefusal {
  constructor(
    status: number,
    errcode: string,
    reason: string,
    extra: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(status, { errcode, error: reason, ...extra }, headers);
  }
}

export function forbidden(reason: string): Refusal {
  return new Refusal(403, "M_FORBIDDEN", reason);
}

export function notFound(reason: string): Refusal {
  return new Refusal(404, "M_NOT_FOUND", reason);
}

export function badRequest(reason: string, errcode = "M_UNKNOWN"): Refusal {
  return new Refusal(400, errcode, reason);
}

export function uploadTooLarge(): Refusal {
  return new Refusal(413, "M_TOO_LARGE", "Upload request body is too large");
}

export function unrecognised(): Refusal {
  return new Refusal(404, "M_UNRECOGNIZED", "Unrecognized request");
}

/** `isExpired`: the device is still there ("Soft logout"). */
export function unknownToken(isExpired = false): Refusal {
  return new Refusal(401, "M_UNKNOWN_TOKEN", "Invalid access token passed.", { soft_logout: isExpired });
}

export function tooManyRequests(retryAfterMs: number): Refusal {
  const headers = { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
  return new Refusal(429, "M_LIMIT_EXCEEDED", "Too Many Requests", { retry_after_ms: retryAfterMs }, headers);
}

/** The refusal that a test or a person asks for, by its code; some codes are said with a reason behind a colon. */
export function scriptedRefusal(code: string): Refusal {
  const [errcode = "M_UNKNOWN", reason = "Refused"] = code.split(/:\s*/, 2);
  switch (errcode) {
    case "M_UNKNOWN_TOKEN":
    case "M_MISSING_TOKEN":
      return unknownToken();
    case "M_FORBIDDEN":
    case "M_USER_DEACTIVATED":
      return new Refusal(403, errcode, reason);
    case "M_NOT_FOUND":
      return notFound(reason);
    case "M_TOO_LARGE":
      return new Refusal(413, errcode, "event too large");
    case "M_LIMIT_EXCEEDED":
      return tooManyRequests(1_000);
    default:
      return badRequest(reason, errcode);
  }
}

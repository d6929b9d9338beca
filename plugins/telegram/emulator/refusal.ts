import { ApiRefusal } from "@hermes/emulator";

/** What the Bot API answers instead of a result ("Making requests": `ok` is false). */
export class Refusal extends ApiRefusal {
  /** `description` as the platform writes it, its prefix (`Bad Request: …`) among it. */
  constructor(
    code: number,
    description: string,
    parameters?: { readonly retry_after?: number; readonly migrate_to_chat_id?: number },
  ) {
    super(code, { ok: false, error_code: code, description, ...(parameters ? { parameters } : {}) });
  }
}

export function badRequest(reason: string): Refusal {
  return new Refusal(400, `Bad Request: ${reason}`);
}

export function forbidden(reason: string): Refusal {
  return new Refusal(403, `Forbidden: ${reason}`);
}

export function unauthorized(): Refusal {
  return new Refusal(401, "Unauthorized");
}

export function tooManyRequests(retryAfterMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
}

/** Another program began to poll while this one waited. */
export function terminatedByOtherPoll(): Refusal {
  return new Refusal(
    409,
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
  );
}

export function webhookIsActive(): Refusal {
  return new Refusal(
    409,
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  );
}

/**
 * The refusal that a test or a person asks for: a whole description (`Forbidden: bot was blocked by the user`,
 * `Unauthorized`), or what stands behind `Bad Request: `.
 */
export function scriptedRefusal(code: string): Refusal {
  if (code.startsWith("Unauthorized")) return unauthorized();
  if (code.startsWith("Conflict")) return terminatedByOtherPoll();
  if (code.startsWith("Forbidden: ")) return new Refusal(403, code);
  if (code.startsWith("Not Found")) return new Refusal(404, code);
  return badRequest(code.replace(/^Bad Request: /, ""));
}

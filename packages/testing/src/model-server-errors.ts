import type { ModelFailureReply } from "./model-server.ts";

/** The body of an error answer of OpenAI, and of servers that speak its protocol. */
export function openAiFailure({ message, status, type }: ModelFailureReply): object {
  const codes: Readonly<Record<number, string>> = { 401: "invalid_api_key", 404: "model_not_found" };
  const code = /maximum context|context window/.test(message) ? "context_length_exceeded" : (codes[status] ?? null);
  return { error: { message, type: type ?? "invalid_request_error", param: null, code } };
}

/** The body of an error answer of Anthropic (API reference: "Errors"). */
export function anthropicFailure({ message, status, type }: ModelFailureReply): object {
  const types: Readonly<Record<number, string>> = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
  };
  const named = type ?? types[status] ?? "invalid_request_error";
  return { type: "error", error: { type: named, message }, request_id: "req_1" };
}

/** The body of an error answer of Google (Gemini API reference: "Troubleshooting"). */
export function googleFailure({ message, status, type }: ModelFailureReply): object {
  const statuses: Readonly<Record<number, string>> = {
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
  };
  const isKey = /API key not valid/.test(message);
  const reason = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" };
  const named = type ?? statuses[status] ?? "INVALID_ARGUMENT";
  return { error: { code: status, message, status: named, ...(isKey && { details: [reason] }) } };
}

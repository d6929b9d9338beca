import { ApiRefusal } from "@hermes/emulator";

/** A refusal of the Graph API, in its own form ("Error codes"). */
export class Refusal extends ApiRefusal {
  constructor(
    code: number,
    details?: string,
    more: { readonly subcode?: number; readonly retryAfterMs?: number; readonly message?: string } = {},
  ) {
    const { status, title } = CODES[code] ?? { status: 400, title: "Something went wrong" };
    const message = more.message ?? (code < 1_000 ? title : `(#${code}) ${title}`);
    const error = {
      message,
      type: "OAuthException",
      code,
      ...(more.subcode === undefined ? {} : { error_subcode: more.subcode }),
      ...(details === undefined ? {} : { error_data: { messaging_product: "whatsapp", details } }),
      fbtrace_id: "EmulatedTrace",
    };
    const { retryAfterMs: waitMs } = more;
    super(status, { error }, waitMs === undefined ? {} : { "retry-after": String(Math.ceil(waitMs / 1_000)) });
  }
}

/** An error as a status has it. */
export function errorInStatus(code: number): object {
  const title = CODES[code]?.title ?? "Something went wrong";
  return { code, title, message: title, error_data: { details: DETAILS[code] ?? title } };
}

export function isKnownCode(code: number): boolean {
  return code in CODES;
}

const CODES: Readonly<Record<number, { readonly status: number; readonly title: string }>> = {
  0: { status: 401, title: "We were unable to authenticate the app user" },
  1: { status: 500, title: "An unknown error occurred" },
  2: { status: 503, title: "Service temporarily unavailable" },
  3: { status: 500, title: "Capability or permissions issue" },
  4: { status: 400, title: "Application request limit reached" },
  10: { status: 403, title: "Application does not have permission for this action" },
  33: { status: 400, title: "Parameter value is not valid" },
  100: { status: 400, title: "Invalid parameter" },
  190: { status: 401, title: "Invalid OAuth access token - Cannot parse access token" },
  368: { status: 403, title: "Temporarily blocked for policies violations" },
  80007: { status: 400, title: "Rate limit issues" },
  130429: { status: 429, title: "Rate limit hit" },
  131000: { status: 500, title: "Something went wrong" },
  131008: { status: 400, title: "Required parameter is missing" },
  131009: { status: 400, title: "Parameter value is not valid" },
  131016: { status: 500, title: "Service unavailable" },
  131021: { status: 400, title: "Recipient cannot be sender" },
  131026: { status: 400, title: "Message undeliverable" },
  131030: { status: 400, title: "Recipient phone number not in allowed list" },
  131031: { status: 403, title: "Account has been locked" },
  131042: { status: 400, title: "Business eligibility payment issue" },
  131047: { status: 400, title: "Re-engagement message" },
  131048: { status: 400, title: "Spam rate limit hit" },
  131049: { status: 400, title: "This message was not delivered to maintain healthy ecosystem engagement" },
  131051: { status: 400, title: "Unsupported message type" },
  131053: { status: 400, title: "Media upload error" },
  131056: { status: 400, title: "(Business Account, Consumer Account) pair rate limit hit" },
  132000: { status: 400, title: "Number of parameters does not match the expected number of params" },
  132001: { status: 404, title: "Template name does not exist in the translation" },
  132015: { status: 400, title: "Template is paused" },
  132018: { status: 400, title: "There was an issue with the parameters in your template" },
  133010: { status: 400, title: "Phone number not registered" },
};

/** The codes that the emulator knows, each in a sentence. */
export const REFUSALS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CODES).map(([code, { status, title }]) => [code, `The answer is ${status}: “${title}”.`]),
);

const DETAILS: Readonly<Record<number, string>> = {
  131053: "Unsupported Image mime type. Please use one of image/jpeg, image/png.",
  131026: "Message Undeliverable.",
  131047:
    "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
};

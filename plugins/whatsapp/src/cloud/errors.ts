import type { PlatformError } from "@hermes/core";
import {
  forbidden,
  notFound,
  rateLimited,
  rejected,
  serverFailed,
  unauthorised,
  unavailable,
  uncertain,
} from "../errors.ts";
import type { WireError } from "./wire.ts";

/** The code for more than 24 hours since the person wrote ("Error codes"). */
const WINDOW_CLOSED = 131047;

/** The subcode of “Unsupported request” for an object that does not exist, or not for this token. */
const OBJECT_UNKNOWN = 33;

/** Meta's servers take no calls for now; the same call may succeed later. */
const UNAVAILABLE = new Set([2, 131016, 131057, 133004]);

/** “An unknown error occurred” and “Something went wrong”: faults of Meta's servers, perhaps behind the call. */
const FAILED = new Set([1, 131000]);

/** Rate limits of the app, the account, the number, and the number towards one person. */
const RATE_LIMITED = new Set([4, 80007, 130429, 131056, 133016]);

/** Messages that cannot be delivered to the person, as far as Meta tells. */
const UNDELIVERABLE = new Set([131026, 131045, 1013]);

/** Calls that are not permitted, each with its hint. */
const FORBIDDEN: Readonly<Record<number, string>> = {
  3: "Give the token's system user the permission `whatsapp_business_messaging`, and the WhatsApp account as an asset.",
  10: "Give the token's system user the permission `whatsapp_business_messaging`, and the WhatsApp account as an asset.",
  368: "The WhatsApp Manager shows which policy is meant, and how to appeal.",
  130472: "Meta holds messages to this person back for an experiment. Let them write first.",
  130497: "Meta does not let this business write to that country.",
  131030: "A test number writes only to numbers of its list: add the person's under WhatsApp › API Setup.",
  131031: "The WhatsApp Manager shows why the account is locked.",
  131042: "Add a means of payment to the WhatsApp account in the WhatsApp Manager.",
  131048: "Too many people blocked or reported the number. The WhatsApp Manager shows its quality.",
  131049: "Meta holds this message back to spare the person. Let them write first.",
  131050: "The person has turned such messages off. Let them write first.",
  133010: "Register the number: POST /<phone number id>/register, or in the WhatsApp Manager.",
};

/** A refusal by the Graph API. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number;
  readonly error: WireError;
  /** How long Meta asks to wait, in milliseconds; null if it does not say. */
  readonly retryAfterMs: number | null;
  /** Whether the call may have been done where Meta's servers failed. */
  readonly mayBeDone?: boolean;
}

/** Meta's refusal, as the cause of the PlatformError. */
class GraphRefusal extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`the Graph API answered ${refusal.status}`);
    this.name = "GraphRefusal";
    this.refusal = refusal;
  }
}

/** Turns a refusal into a PlatformError, by its code, since Meta changes the words. */
export function toPlatformError(refusal: Refusal): PlatformError {
  const error = errorFor(refusal);
  error.cause = new GraphRefusal(refusal);
  return error;
}

/** Whether more than 24 hours have passed since the person wrote; a template may still be delivered. */
export function isWindowClosed(thrown: unknown): thrown is PlatformError {
  const { cause } = Object(thrown) as { readonly cause?: unknown };
  return cause instanceof GraphRefusal && cause.refusal.error.code === WINDOW_CLOSED;
}

/** Whether Meta says that a call's `appsecret_proof` was not made with the app's secret ("Secure Graph API calls"). */
export function isProofWrong(thrown: unknown): boolean {
  const { cause } = Object(thrown) as { readonly cause?: unknown };
  return cause instanceof GraphRefusal && /appsecret_proof/i.test(cause.refusal.error.message ?? "");
}

function errorFor({ status, error, retryAfterMs, mayBeDone = false }: Refusal): PlatformError {
  const code = error.code ?? null;
  if (code !== null && RATE_LIMITED.has(code)) return rateLimited(retryAfterMs);
  if (code === 0 || code === 190 || status === 401) return unauthorised();
  if (code === null) return status === 429 ? rateLimited(retryAfterMs) : ofStatus(status, mayBeDone);
  if (code === WINDOW_CLOSED) return windowClosed();
  if (UNAVAILABLE.has(code)) return unavailable(reasonOf(error));
  if (FAILED.has(code)) return (mayBeDone ? uncertain : unavailable)(reasonOf(error));
  if (UNDELIVERABLE.has(code)) return undeliverable(error);
  if (code === 33 || error.error_subcode === OBJECT_UNKNOWN) return numberUnknown();
  const hint = FORBIDDEN[code] ?? (code >= 200 && code < 300 ? FORBIDDEN[10] : undefined);
  if (hint !== undefined) return forbidden(reasonOf(error), hint);
  if (status >= 500) return serverFailed(status, { reason: reasonOf(error), mayBeDone });
  if (code >= 132000 && code < 133000) return templateRefused(error);
  return rejected(reasonOf(error), `What ${code} means is on Meta's page “Error codes” of the Cloud API.`);
}

function windowClosed(): PlatformError {
  return forbidden(
    "more than 24 hours have passed since the person last wrote to the number",
    "Write anything to the number on WhatsApp, or set `template` in the config.",
  );
}

function undeliverable(error: WireError): PlatformError {
  return notFound(
    reasonOf(error),
    "The number is not on WhatsApp or lacks its country code, the person has blocked the business number or not taken WhatsApp's new terms, or their app is too old.",
  );
}

function numberUnknown(): PlatformError {
  return notFound(
    "the business number is not there, or the token may not use it",
    "Check `phoneNumberId`, and that the token's system user has the WhatsApp account as an asset.",
  );
}

function templateRefused(error: WireError): PlatformError {
  return rejected(
    `the template cannot be sent: ${reasonOf(error)}`,
    "Check `template` in the config: its name and language, that it is approved and not paused, and that its body has one variable, {{1}}.",
  );
}

function ofStatus(status: number, mayBeDone: boolean): PlatformError {
  if (status >= 500) return serverFailed(status, { mayBeDone });
  return rejected(`its server answered ${status}`, "Check `graphUrl`.");
}

/** `(#131047) Re-engagement message: Message failed to send because …` */
function reasonOf({ code, title, message, error_data: data }: WireError): string {
  const said = (message ?? title ?? "it gave no reason").replace(/^\(#\d+\)\s*/, "");
  const details = data?.details;
  const text = details === undefined || said.includes(details) ? said : `${said}: ${details}`;
  return `${text.replaceAll(/\s+/g, " ").replace(/\.$/, "")} (${code ?? "no code"})`;
}

import { PlatformError, reasonOf } from "@hermes/core";
import { forbidden, notFound, rateLimited, rejected, unavailable } from "../errors.ts";

/** The server's reasons for refusing a message, by code. */
export function refusedMessage(code: string): PlatformError {
  const reason = `the server refused it (${code})`;
  switch (code) {
    case "401":
    case "403":
      return forbidden(reason, "In a group: the account was removed from it, or only administrators may write there.");
    case "404":
      return notFound(reason, "The number is not on WhatsApp, or the group is gone.");
    case "429":
      return rateLimited(null);
    case "463":
      return forbidden(
        "WhatsApp lets this account begin no conversations for now (463)",
        "Write to it first from the phone that is to get the messages; WhatsApp on the account's phone says how long it lasts.",
      );
    default:
      return code.startsWith("5")
        ? unavailable(reason)
        : rejected(reason, "Should it stay so, update @hermes/plugin-whatsapp, or link the device anew.");
  }
}

/** Turns an error of Baileys into a PlatformError. Omits its fields, which may hold keys; its words do not. */
export function toPlatformError(thrown: unknown): PlatformError {
  if (thrown instanceof PlatformError) return thrown;
  const { data, output } = Object(thrown) as {
    readonly data?: unknown;
    readonly output?: { readonly statusCode?: number };
  };
  const code = typeof data === "number" ? data : (output?.statusCode ?? 0);
  switch (code) {
    case 401:
    case 403:
      return forbidden(`the account may not do that (${code})`, "The account is not in that group any more.");
    case 404:
      return notFound(`it is not there (${code})`, "The number is not on WhatsApp, or the group is gone.");
    case 429:
      return rateLimited(null);
    default:
      return unavailable(reasonOf(thrown));
  }
}

import { type HttpAnswer, type PlatformError, platformErrors } from "@hermes/core";
import { PLATFORM } from "./source.ts";

export const errors = platformErrors(PLATFORM);

/**
 * A refusal of Acme's, by its code, as the error that tells Hermes what to do. Null for the usual one of its status: a
 * wrong token, a rate limit, a server that is down.
 */
export function refusalOf({ status, body }: HttpAnswer): PlatformError | null {
  const { code } = Object(body) as { readonly code?: unknown };
  switch (code) {
    case "unknown_chat":
      return errors.notFound("the bot cannot see the chat", "Check `homeChannel` in the config, and let the bot in.");
    // #if threads
    case "unknown_thread":
      return errors.threadGone();
    // #end
    // #if edits
    case "unknown_message":
      return errors.notFound("the message is not there any more", "It is sent as a new one.");
    case "too_old":
      return errors.rejected("the message is too old to be edited", "It is sent as a new one.");
    // #end
    case "not_allowed":
      return errors.forbidden(
        "the bot may not do that in this chat",
        "Somebody who manages the chat gives it the right.",
      );
    case "too_long":
      return errors.rejected("the message is too long", "Compare the text limit in src/format.ts with Acme's.");
  }
  return typeof code === "string" && status === 400
    ? errors.rejected(`it says ${JSON.stringify(code)}`, "What that means is in Acme's documentation.")
    : null;
}

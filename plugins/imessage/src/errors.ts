import { type Conversation, type HttpAnswer, PlatformError, platformErrors, reasonOf } from "@hermes/core";
import { isSmsId, isTextChat, PLATFORM } from "./source.ts";
import type { WireChat } from "./wire.ts";

export const errors = platformErrors(PLATFORM);

/** Codes of Messages' own ("message.error"). */
const TIMED_OUT = 4;
const NOT_ON_IMESSAGE = 22;

/**
 * The server's refusal, by its words, since it has no codes of its own. Null for the usual one of its status: a wrong
 * password, an unknown message, a fault behind which a message may have gone out.
 */
export function refusalOf({ status, body }: HttpAnswer, mayBeDone: boolean): PlatformError | null {
  const { error, data } = Object(body) as { readonly error?: unknown; readonly data?: unknown };
  const said = String(Object(error).message ?? "")
    .replaceAll(/\s+/g, " ")
    .replace(/[.!]$/, "");
  if (status === 401) return null;
  // The server's own failure, which it also has with what it makes of a message that is out.
  if (Object(error).type === "Server Error") {
    return errors.serverFailed(status, { reason: said || "the server is in trouble", mayBeDone });
  }
  if (/already queued/.test(said)) return errors.unavailable(STILL_SENDING);
  if (status === 404)
    return errors.notFound(said || "it is not there", "Check the id, and that the chat is on the Mac.");
  if (status === 400) return errors.rejected(said || "it refuses the call", "Update the BlueBubbles server.");
  if (/Private API/i.test(said)) {
    return errors.forbidden(
      "the server's Private API is off",
      "Turn it on in BlueBubbles, or restart Messages on the Mac.",
    );
  }
  if (/1st account/.test(said)) return errors.unavailable(SIGNED_OUT);
  if (/get chat id|chat does not exist/i.test(said)) {
    return errors.notFound("Messages knows no such chat", "Write to Hermes once from that phone.");
  }
  if (/-1743/.test(said)) {
    return errors.forbidden(
      "macOS does not let the server control Messages",
      "Allow it on the Mac: System Settings, Privacy & Security, Automation, BlueBubbles.",
    );
  }
  const code: unknown = Object(data).error;
  return typeof code === "number" && code !== 0 ? errorOfCode(code) : null;
}

const STILL_SENDING = "the server is still sending it";

/** Whether the server is sending something under the same name, and so did not look at it. */
export function isBusy({ fields }: PlatformError): boolean {
  return fields.reason === STILL_SENDING;
}

/** Said in the health as long as it is so. */
export const SIGNED_OUT = "nobody is signed in to Messages on the Mac";

/** Why a message could not be delivered, by the code that Messages puts on it. */
export function errorOfCode(code: number): PlatformError {
  if (code === TIMED_OUT) return errors.unavailable("Messages could not send it in time");
  if (code === NOT_ON_IMESSAGE) {
    return errors.notFound(
      "the person is not on iMessage",
      "Check the number or mail address, and that iMessage is on there.",
    );
  }
  return errors.rejected(
    `Messages could not deliver it (error ${code})`,
    "Messages on the Mac shows it, with what is wrong.",
  );
}

/** Throws where an SMS would be sent that the config does not permit. `chat` is missing before the Mac was asked. */
export function refuseSms(
  { chatId }: Pick<Conversation, "chatId">,
  { sms }: { readonly sms: boolean },
  chat?: WireChat,
): void {
  if (!sms && (isSmsId(chatId) || (chat && isTextChat(chat))))
    throw errors.forbidden("SMS is off", "Set `sms: true` in the config to allow it.");
}

export function toPlatformError(thrown: unknown): PlatformError {
  return thrown instanceof PlatformError ? thrown : errors.unavailable(reasonOf(thrown));
}

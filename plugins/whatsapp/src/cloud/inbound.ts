import type { InboundMessage } from "@hermes/core";
import { withCommand } from "../commands.ts";
import { quotesOf } from "../forward.ts";
import { toId } from "../ids.ts";
import type { People } from "../people.ts";
import { toMarkdown } from "../read-markup.ts";
import { conversationIn } from "../source.ts";
import { attachmentsOf, type Media } from "./attachments.ts";
import { listIn, type WebhookValue, type WireMessage } from "./wire.ts";

export interface DecodeContext {
  readonly account: string | undefined;
  /** The business number itself, as people dial it. */
  readonly ownNumber: string;
  readonly people: People;
  readonly media: Media;
}

/** What a person wrote; null for what is no message of another, or of a kind that says nothing. */
export async function decode(
  message: WireMessage,
  value: WebhookValue,
  context: DecodeContext,
): Promise<InboundMessage | null> {
  const { people } = context;
  const ids = idsOf(message, value);
  const [id] = ids;
  // A group has people in it who do not write to the bot; the Cloud API's groups are not served.
  if (id === undefined || id === context.ownNumber || message.group_id !== undefined) return null;
  const chatId = people.note([...ids, ...newIdsIn(message)]);

  const said = message.type === "edit" ? { ...message.edit?.message } : message;
  const messageId = message.type === "edit" ? message.edit?.original_message_id : message.id;
  const attachments = await attachmentsOf(said, context.media);
  const isForward = said.context?.forwarded === true || said.context?.frequently_forwarded === true;
  const text = isForward ? "" : withCommand(textOf(said));
  const quotes = isForward ? quotesOf(textOf(said)) : [];
  const isEmpty = text.trim() === "" && quotes.length === 0 && attachments.length === 0;
  if (messageId === undefined || isEmpty) return null;
  const name = profileOf(ids, value)?.profile?.name;
  return {
    conversation: conversationIn(chatId, context.account),
    messageId,
    sender: { id: chatId, aliases: people.idsOf(chatId), ...(name === undefined ? {} : { name }) },
    text,
    sentAt: Number(message.timestamp) * 1_000,
    ...(message.type === "edit" ? { isEdit: true } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(quotes.length > 0 ? { quotes } : {}),
    ...(name === undefined ? {} : { chatName: name }),
  };
}

/** The number and the id that hides it; either may be missing. */
function idsOf({ from, from_user_id: userId }: WireMessage, value: WebhookValue): string[] {
  const own = [from, userId].filter((id) => id !== undefined).map(toId);
  const { wa_id: number, user_id: hidden } = profileOf(own, value) ?? {};
  return [...new Set([...own, ...[number, hidden].filter((id) => id !== undefined).map(toId)])];
}

function profileOf(ids: readonly string[], { contacts }: WebhookValue) {
  return listIn(contacts).find(({ wa_id: number, user_id: hidden }) =>
    [number, hidden].some((id) => id !== undefined && ids.includes(toId(id))),
  );
}

/** Somebody has got another number, and says so ("Webhooks › system messages"). */
function newIdsIn({ type, system }: WireMessage): string[] {
  if (type !== "system" || !system?.type?.startsWith("user_changed")) return [];
  return [system.wa_id, system.user_id].filter((id) => id !== undefined).map(toId);
}

function textOf(message: Partial<WireMessage>): string {
  switch (message.type) {
    case "text":
      return toMarkdown(message.text?.body ?? "");
    case "button":
      return message.button?.text ?? "";
    case "interactive":
      return message.interactive?.button_reply?.title ?? message.interactive?.list_reply?.title ?? "";
    case "location":
      return placeOf(message);
    case "contacts":
      return listIn(message.contacts)
        .map(({ name }) => `(a contact: ${name?.formatted_name ?? "without a name"})`)
        .join("\n");
    case "unsupported":
      return "(a message of a kind that WhatsApp does not hand to programs)";
    default:
      return toMarkdown(captionOf(message) ?? "");
  }
}

function captionOf({ image, video, document }: Partial<WireMessage>): string | undefined {
  return image?.caption ?? video?.caption ?? document?.caption;
}

function placeOf({ location }: Partial<WireMessage>): string {
  const { latitude = 0, longitude = 0, name, address } = location ?? {};
  const called = [name, address].filter((part) => part !== undefined).join(", ");
  return `(a place: ${called}${called && ": "}${latitude}, ${longitude})`;
}

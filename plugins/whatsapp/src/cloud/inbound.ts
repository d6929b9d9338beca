import { type InboundMessage, senderOf, shortName } from "@hermes/core";
import { toId } from "../ids.ts";
import { quotesOf, withCommand } from "../inbound.ts";
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
  if (message.type === "system") {
    await noteChange(message, people);
    return null;
  }
  const ids = idsOf(message, value);
  const [id] = ids;
  // A group has people in it who do not write to the bot; the Cloud API's groups are not served.
  if (id === undefined || id === context.ownNumber || message.group_id !== undefined) return null;
  const person = await people.note(ids);

  const said = message.type === "edit" ? { ...message.edit?.message } : message;
  const messageId = message.type === "edit" ? message.edit?.original_message_id : message.id;
  const attachments = await attachmentsOf(said, context.media);
  // An edit says what it changes, and not that this was passed on.
  const isForward = [message, said].some(({ context }) => context?.forwarded || context?.frequently_forwarded);
  const text = isForward ? "" : withCommand(textOf(said));
  const quotes = isForward ? quotesOf(textOf(said), attachments) : [];
  const isEmpty = text.trim() === "" && quotes.length === 0 && attachments.length === 0;
  if (messageId === undefined || isEmpty) return null;
  const name = profileOf(message, value)?.profile?.name;
  return {
    conversation: conversationIn(person.key, context.account),
    messageId,
    sender: { ...senderOf(person), ...(name === undefined ? {} : { name }) },
    text,
    sentAt: Number(message.timestamp) * 1_000,
    ...(message.type === "edit" ? { isEdit: true } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(quotes.length > 0 ? { quotes } : {}),
    ...(name === undefined ? {} : { chatName: name }),
  };
}

/** The number and the id that hides it; either may be missing, and stand beside the profile only. */
function idsOf(message: WireMessage, value: WebhookValue): string[] {
  const { from = profileOf(message, value)?.wa_id, from_user_id: hidden = profileOf(message, value)?.user_id } =
    message;
  return toIds(from, hidden);
}

/** The profile that belongs to a message: a number is a person's only where no other id says otherwise. */
function profileOf({ from, from_user_id: hidden }: WireMessage, { contacts }: WebhookValue) {
  const isSame = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && toId(one) === toId(other);
  return listIn(contacts).find(({ wa_id: number, user_id: userId }) =>
    hidden !== undefined && userId !== undefined ? isSame(hidden, userId) : isSame(from, number),
  );
}

/** Somebody has got another number or id, and WhatsApp says so ("Webhooks › system messages"). */
async function noteChange(
  { from, from_user_id: hidden, system }: WireMessage,
  people: Pick<People, "link">,
): Promise<void> {
  if (!system?.type?.startsWith("user_changed")) return;
  await people.link(toIds(from, hidden, system.previous_user_id), toIds(system.wa_id, system.user_id));
}

function toIds(...written: readonly (string | undefined)[]): string[] {
  return [...new Set(written.filter((id) => id !== undefined).map(toId))];
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
        .map(({ name }) => `(a contact: ${shortName(name?.formatted_name ?? "") || "without a name"})`)
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
  const called = [name, address]
    .map((part) => shortName(part ?? ""))
    .filter(Boolean)
    .join(", ");
  return `(a place: ${called}${called && ": "}${latitude}, ${longitude})`;
}

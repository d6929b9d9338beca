import { describeItem, type Reference, type SharedItem, senderOf, type UnreadableKind } from "@hermes/core";
import { normalizeMessageContent, type proto } from "@whiskeysockets/baileys";
import { addressesIn } from "../inbound.ts";
import { toMarkdown } from "../markup.ts";
import type { People } from "../people.ts";
import { toId } from "../source.ts";
import { audienceOf, contextOf, textOf } from "./content.ts";

/**
 * Returns what a message quotes. The sender's app supplies the words and the writer, encrypted, so that nobody checks
 * them: do not learn from it which ids are one person's.
 */
export async function referenceOf(
  content: proto.IMessage,
  { own, people }: { readonly own: readonly string[]; readonly people: People },
): Promise<Reference | null> {
  const { stanzaId: messageId, participant, quotedMessage } = contextOf(content) ?? {};
  if (!messageId || !quotedMessage) return null;
  const quoted = normalizeMessageContent(quotedMessage) ?? {};
  const lines = itemsOf(quoted).map((item) => `(${describeItem(item)})`);
  const text = [toMarkdown(textOf(quoted)), ...lines].filter((part) => part !== "").join("\n");
  const said = { messageId, text, isClaimed: true } as const;
  // WhatsApp does not tell who wrote a forwarded message.
  if (!participant || audienceOf(quoted).isForward) return said;
  const id = toId(participant);
  if (own.includes(id)) return { ...said, isOwn: true };
  const person = await people.holder(id);
  return { ...said, writer: person === null ? { id } : senderOf(person) };
}

export function itemsOf(content: proto.IMessage): SharedItem[] {
  const { locationMessage, liveLocationMessage, contactMessage, contactsArrayMessage } = content;
  const place = locationMessage ?? liveLocationMessage;
  if (place) {
    const { degreesLatitude: latitude, degreesLongitude: longitude } = place;
    const { name, address } = locationMessage ?? {};
    const names = { name: name ?? undefined, address: address ?? undefined };
    return [{ kind: "place", ...names, latitude: latitude ?? 0, longitude: longitude ?? 0 }];
  }
  const poll = content.pollCreationMessage ?? content.pollCreationMessageV2 ?? content.pollCreationMessageV3;
  if (poll) {
    const options = (poll.options ?? []).map(({ optionName }) => optionName ?? "");
    return [{ kind: "poll", question: poll.name ?? "", options }];
  }
  const contacts = contactMessage ? [contactMessage] : (contactsArrayMessage?.contacts ?? []);
  return contacts.map(({ displayName, vcard }) => {
    return { kind: "contact", name: displayName ?? "", addresses: addressesIn(vcard ?? "") };
  });
}

/** The kind of unreadable content in a message; undefined for reactions, votes and instructions to the device. */
export function unreadableIn(content: proto.IMessage): UnreadableKind | undefined {
  const { orderMessage, productMessage, interactiveResponseMessage, groupInviteMessage, stickerPackMessage } = content;
  const { sendPaymentMessage, requestPaymentMessage, paymentInviteMessage, invoiceMessage } = content;
  if (content.stickerMessage || content.lottieStickerMessage || stickerPackMessage) return "sticker";
  if (orderMessage || productMessage) return "order";
  if (interactiveResponseMessage) return "form";
  if (sendPaymentMessage || requestPaymentMessage || paymentInviteMessage || invoiceMessage) return "payment";
  return groupInviteMessage ? "other" : undefined;
}

import { describeItem, type SharedItem, type UnreadableKind } from "@hermes/core";
import type { ExternalReplyInfo, Message } from "grammy/types";
import { nameOf } from "./source.ts";

type Kinds = Pick<
  Message & ExternalReplyInfo,
  | "sticker"
  | "dice"
  | "location"
  | "venue"
  | "contact"
  | "poll"
  | "story"
  | "game"
  | "invoice"
  | "paid_media"
  | "checklist"
>;

/** What has no text of its own, and can be said in one. */
export function textFor({ sticker, dice }: Kinds): string {
  return sticker?.emoji ?? (dice ? `${dice.emoji} ${dice.value}` : "");
}

/** Polls, contacts and places. A venue comes with its location. */
export function itemsOf({ location, venue, contact, poll }: Kinds): SharedItem[] {
  const items: SharedItem[] = [];
  if (poll) items.push({ kind: "poll", question: poll.question, options: poll.options.map(({ text }) => text) });
  if (contact) items.push({ kind: "contact", name: nameOf(contact), addresses: [contact.phone_number] });
  const at = venue?.location ?? location;
  if (at) {
    const { latitude, longitude } = at;
    items.push({ kind: "place", name: venue?.title, address: venue?.address, latitude, longitude });
  }
  return items;
}

/** The same within somebody else's words. */
export function itemLines(message: Kinds): string {
  return itemsOf(message)
    .map((item) => `(${describeItem(item)})`)
    .join("\n");
}

/** What a message holds that nothing can be made of; undefined for service messages, which nobody wrote. */
export function unreadableIn(message: Message): UnreadableKind | undefined {
  if (message.sticker) return "sticker";
  if (message.story || message.reply_to_story) return "story";
  if (message.paid_media) return "paid-media";
  if (message.game) return "game";
  if (message.checklist) return "list";
  if (message.invoice || message.successful_payment) return "payment";
  if (message.gift || message.unique_gift) return "gift";
  return message.giveaway || message.passport_data ? "other" : undefined;
}

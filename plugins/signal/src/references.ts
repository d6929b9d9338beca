import type { Reference, Sender, SharedItem, UnreadableKind } from "@hermes/core";
import { type Identities, senderOf } from "@hermes/core";
import type { SelfAddress } from "./account.ts";
import type { DataMessage } from "./envelope.ts";
import { toMarkdown } from "./inbound-text.ts";
import { canonicalId, messageIdOf } from "./source.ts";

interface ReferenceContext {
  readonly self: SelfAddress;
  readonly identities: Identities;
  /** When the first version of a message was sent. */
  readonly firstOf: (author: string, timestamp: number) => number;
  /** In the notes to oneself, the account's own messages are mostly the person's. */
  readonly isNote: boolean;
}

/**
 * What a message quotes ("JsonQuote"). The sender's app sends the words and the writer along, and Signal's servers see
 * neither: nothing that is learnt from it says which ids are one person's.
 */
export async function referenceOf(
  { quote }: DataMessage,
  { self, identities, firstOf, isNote }: ReferenceContext,
): Promise<Reference | null> {
  if (!quote?.id) return null;
  const [author] = [quote.authorUuid, quote.authorNumber].flatMap((id) => (id ? [canonicalId(id)] : []));
  if (author === undefined) return null;
  const text = toMarkdown(quote.text ?? "", quote.textStyles ?? [], []);
  const said = { text, isClaimed: true } as const;
  // What Hermes sends has its time alone as its id.
  if (self.isAny(author) && !isNote) return { ...said, messageId: String(quote.id), isOwn: true };
  const person = await identities.holder(author);
  const writer: Sender = person === null ? { id: author } : senderOf(person);
  return { ...said, messageId: messageIdOf(author, firstOf(author, quote.id)), writer };
}

export function itemsOf({ contacts, pollCreate: poll }: DataMessage): SharedItem[] {
  const items: SharedItem[] = (contacts ?? []).map(({ name, phone, email }) => {
    const known = [name?.given, name?.family].filter(Boolean).join(" ") || name?.nickname || "";
    const addresses = [...(phone ?? []), ...(email ?? [])].flatMap(({ value }) => value ?? []);
    return { kind: "contact", name: known, addresses };
  });
  if (poll?.question) items.push({ kind: "poll", question: poll.question, options: poll.options ?? [] });
  return items;
}

/** What a message holds that nothing can be made of. */
export function unreadableIn({ sticker, payment, storyContext }: DataMessage): UnreadableKind | undefined {
  if (sticker) return "sticker";
  if (payment) return "payment";
  return storyContext ? "story" : undefined;
}

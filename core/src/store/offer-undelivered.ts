import type { NewOutboxEntry } from "../model/outbox.ts";
import type { Store } from "./store.ts";

/** The number of messages to offer before one answer; the rest come before later answers. */
const MOST_AT_ONCE = 10;

/** Repeats messages that did not, or may not have, reached a conversation before its next answer. */
export async function offerUndelivered(
  { deliveries }: Pick<Store, "deliveries">,
  { key, conversation }: Pick<NewOutboxEntry, "key" | "conversation">,
): Promise<void> {
  const notices = {
    failed: { kind: "notice", markdown: "This could not be delivered before:" },
    uncertain: { kind: "notice", markdown: "This may not have reached you before:" },
  } as const;
  await deliveries.offer({ key, conversation }, notices, MOST_AT_ONCE);
}

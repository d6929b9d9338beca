import { shownFromStored } from "../base/shown-error.ts";
import { whoReads } from "../handoff/readers.ts";
import type { UndeliveredMessage } from "../model/delivery.ts";
import { nameOfPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";

/** A message that did not arrive as `--json` prints it. */
export function deliveryDocument(delivery: UndeliveredMessage, title: string | null) {
  const { id, state, conversation, sessionId, message, pieces, attempts, wasOffered, createdAt, error } = delivery;
  const { platform, account, chatId, threadId } = conversation;
  return {
    deliveryId: id,
    state,
    ...{ platform, account: account ?? null, chatId, threadId: threadId ?? null },
    ...{ sessionId, title, kind: message.kind, text: message.markdown },
    files: (message.files ?? []).map((file) => file.name),
    pieces,
    attempts,
    wasOffered,
    createdAt,
    error: error && shownFromStored(error, null),
  };
}

/**
 * Who else would read a message that is held back if it were sent by hand, to begin a sentence; null where nobody
 * would, and for a message that is not held back.
 */
export async function readersOfHeldBack(store: Store, delivery: UndeliveredMessage): Promise<string | null> {
  return delivery.isHeldBack ? whoReads(store, delivery) : null;
}

/** What people call the session of a message, and the place it was to go to. */
export async function describeDelivery(
  store: Store,
  { sessionId, conversation, key, message }: UndeliveredMessage,
): Promise<{ readonly title: string | null; readonly name: string; readonly place: string }> {
  const session = sessionId === null ? null : await store.sessions.get(sessionId);
  const title = session?.title ?? null;
  const { deleted } = message.tellsOf ?? {};
  return {
    title,
    name: title ?? sessionId ?? (deleted === undefined ? "a reply of Hermes" : `${deleted} (deleted)`),
    place: await nameOfPlace(store, { key, conversation }),
  };
}

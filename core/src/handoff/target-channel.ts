import { type Conversation, type HomeChannel, onAccount } from "../adapter/conversation.ts";
import { HermesError } from "../base/errors.ts";
import type { Handoff } from "../model/handoff.ts";
import type { Store } from "../store/store.ts";
import type { Destination } from "./destination.ts";
import { readersAt } from "./readers.ts";

/** The channel that a handoff goes to, written as a home channel is. Null where the platform has no home channel. */
export function channelOf({ to }: Handoff, { home }: Destination): HomeChannel | null {
  if (to.kind !== "conversation") return home;
  const { chatId, threadId, kind } = to.conversation;
  // Whoever asked for the handoff was told who reads it there.
  return { chatId, threadId, name: to.name ?? undefined, shared: kind === "dm" ? undefined : true };
}

/** Asks the platform for the channel that a handoff goes to. Throws where others than those meant would read there. */
export async function askForChannel(
  store: Pick<Store, "places" | "grants" | "identities" | "people">,
  { to }: Handoff,
  destination: Destination,
  channel: HomeChannel,
): Promise<Conversation> {
  const { adapter } = destination;
  // Whom a private chat belongs to, who is in it, and what the config says, may have changed since it was asked for.
  if (to.kind !== "conversation" || to.conversation.chatId === destination.home?.chatId) await destination.checkHome();
  else await readersAt(store, to, { home: null });
  if (to.kind !== "conversation") return adapter.homeConversation(channel);
  const found = await adapter.homeConversation(channel);
  const isSame = adapter.buildSessionKey(onAccount(found, to.account)) === to.key;
  if (!isSame && found.kind !== to.conversation.kind) {
    throw new HermesError("HANDOFF_PLACE_CHANGED", { place: to.name ?? to.conversation.chatId });
  }
  return to.conversation;
}

import { buildSessionKey } from "../adapter/session-key.ts";
import { oneLine } from "../base/one-line.ts";
import { escapeMarkdown } from "../markdown/index.ts";
import type { Handoff } from "../model/handoff.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import { nameOfPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";
import { isSameChat } from "../turn/other-places.ts";

/** What the conversation that a handoff left is told; undefined where that is the same chat, or the terminal. */
export async function tellPlaceLeft(
  store: Store,
  { sessionId, leaves, conversation, place }: Handoff,
  link: string | null,
): Promise<NewOutboxEntry | undefined> {
  const left = leaves === null ? null : await store.bindings.get(leaves);
  if (left === null || left.sessionId !== sessionId || conversation === null) return undefined;
  if (isSameChat(left.conversation, conversation)) return undefined;
  const title = (await store.sessions.get(sessionId))?.title ?? null;
  const where =
    place === null ? await nameOfPlace(store, { key: buildSessionKey(conversation), conversation }) : `in ${place}`;
  return {
    ...{ key: left.key, conversation: left.conversation, sessionId },
    message: { kind: "notice", markdown: placeLeftText(title, where, link) },
  };
}

/** One line for the place that a session has left. */
export function placeLeftText(title: string | null, where: string, link: string | null): string {
  const what = title === null ? "This session" : `“${escapeMarkdown(oneLine(title))}”`;
  return `${what} goes on ${escapeMarkdown(where)}${link === null ? "." : `: ${link}`}`;
}

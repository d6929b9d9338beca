import type { Clock } from "../base/clock.ts";
import { count } from "../base/text.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { Session, Visibility } from "../model/session.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";
import { sayAgo } from "./words.ts";

/** The number of sessions in a list; `/resume <number>` refers to the same list. */
export const LIST_LENGTH = 20;

/** Returns the sessions of the list, in the order of their numbers. */
export async function listedSessions(store: Store, visible: Visibility): Promise<readonly Session[]> {
  return (await store.sessions.list({ visible, limit: LIST_LENGTH })).sessions;
}

/** Renders sessions as a numbered Markdown list that marks the current one. */
export async function describeSessions(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  sessions: readonly Session[],
  current: Session | null,
): Promise<string> {
  const lines = sessions.map(async (session, index) => {
    const place = escapeMarkdown(await lookUpPlace(store, session.lastSurface));
    const facts = [count(session.messageCount, "message"), place, sayAgo(clock.now(), session.updatedAt)];
    if ((await store.approvals.open(session.id)).length > 0) facts.push("waits for an answer");
    if (session.id === current?.id) facts.push("you are here");
    return `${index + 1}. **${sessionName(session)}** (${facts.join(" · ")})`;
  });
  return (await Promise.all(lines)).join("\n");
}

/** A session's title as Markdown, or its id when it has no title. */
export function sessionName(session: Pick<Session, "id" | "title">): string {
  return session.title === null ? session.id : escapeMarkdown(session.title);
}

import type { ComponentChildren } from "preact";
import type { WireListed } from "../../src/server/wire/session.ts";
import type { WireThread } from "../../src/server/wire/thread.ts";
import { pathTo } from "../state/route.ts";
import { openSession } from "../state/sessions.ts";
import type { State } from "../state/store.ts";
import { SessionIcon, ThreadIcon } from "./icons.tsx";
import { placesText } from "./places-text.ts";
import { shortTime } from "./time.ts";

/** Where an entry leads: to a thread of the page, or to a session that comes to one when it is pressed. */
export type EntryTarget = { readonly threadId: string; readonly isOpen: boolean } | { readonly session: WireListed };

export function openTo(session: WireListed, openId: string | null): EntryTarget {
  const [latest] = session.threads;
  if (latest === undefined) return { session };
  const isOpen = openId !== null && session.threads.includes(openId);
  return { threadId: isOpen ? openId : latest, isOpen };
}

export function titleOf({ title }: Pick<WireListed, "title">): string {
  return title ?? "Untitled session";
}

/** A line of the list. */
export function Entry({
  to,
  at,
  name,
  children,
}: {
  to: EntryTarget;
  /** Milliseconds since 1970. */
  at: number;
  name: ComponentChildren;
  children: ComponentChildren;
}) {
  const inside = (
    <>
      {"session" in to ? <SessionIcon /> : <ThreadIcon />}
      <span class="entry-name">
        <bdi>{name}</bdi>
      </span>
      <time dateTime={new Date(at).toISOString()}>{shortTime(at)}</time>
      {children}
    </>
  );
  if ("session" in to) {
    return (
      <button type="button" class="entry" title="Go on with it here" onClick={() => void openSession(to.session)}>
        {inside}
      </button>
    );
  }
  return (
    <a href={pathTo(to.threadId)} data-page class="entry" aria-current={to.isOpen ? "page" : undefined}>
      {inside}
    </a>
  );
}

/** A session of the list: its title, when it was used last, where it is open, and how it stands. */
export function SessionEntry({
  session,
  state,
  openId,
  words = "",
}: {
  session: WireListed;
  state: State;
  openId: string | null;
  /** Marked in the title. */
  words?: string;
}) {
  const threads = session.threads.map((id) => state.threads.get(id)).filter((one) => one !== undefined);
  const unread = threads.reduce((sum, thread) => sum + thread.unread, 0);
  return (
    <Entry to={openTo(session, openId)} at={session.updatedAt} name={<Marked text={titleOf(session)} words={words} />}>
      <span class="entry-preview">{state.opening === session.id ? "Opening…" : standing(session, threads)}</span>
      <Unread count={unread} />
      {session.elsewhere.length > 0 && (
        <span class="entry-places">
          {threads.length > 0 ? "Also open" : "Open"} <bdi>{placesText(session.elsewhere)}</bdi>
        </span>
      )}
    </Entry>
  );
}

export function Unread({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span class="badge">
      {count > 99 ? "99+" : count}
      <span class="unseen"> unread</span>
    </span>
  );
}

function standing({ isRunning, openQuestions, lastPlace, messageCount }: WireListed, threads: readonly WireThread[]) {
  if (openQuestions > 0) return "Waits for an answer";
  if (isRunning) return "Working…";
  const [thread] = threads;
  if (thread?.preview) return <bdi>{previewOf(thread)}</bdi>;
  const messages = `${messageCount} ${messageCount === 1 ? "message" : "messages"}`;
  return (
    <>
      {messages} · last used <bdi>{lastPlace}</bdi>
    </>
  );
}

/** The first words, without the marks of Markdown that mean nothing on one line. */
export function previewOf({ preview }: WireThread): string {
  if (preview === null) return "Nothing here yet";
  const words = preview.text
    .replaceAll(/[*_`#>|~]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (preview.text === "") return preview.author === "user" ? "You sent a file" : "A file";
  return preview.author === "user" ? `You: ${words}` : words;
}

/** A title with what was looked for marked, in any case. */
function Marked({ text, words }: { text: string; words: string }) {
  const wanted = words.trim().toLowerCase();
  const at = wanted === "" ? -1 : text.toLowerCase().indexOf(wanted);
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  );
}

import { useEffect } from "preact/hooks";
import type { WireThread } from "../../src/server/wire/thread.ts";
import { pathTo } from "../state/route.ts";
import { loadOlderSessions, loadSessions, newSession } from "../state/sessions.ts";
import type { State } from "../state/store.ts";
import { HomeIcon, OverviewIcon, AttachIcon as PlusIcon, ThreadIcon, Wing } from "./icons.tsx";
import { KEYS } from "./keys.ts";
import { previewOf, SessionEntry, Unread } from "./session-entry.tsx";
import { SearchResults, SessionSearch } from "./session-search.tsx";
import { shortTime } from "./time.ts";

/** The home channel, the sessions that the person may see, and the page's other threads. */
export function Sidebar({ state, openId }: { state: State; openId: string | null }) {
  const { hasSessions, search, sessionsChange } = state;
  useEffect(() => {
    if (hasSessions) void loadSessions();
  }, [hasSessions, sessionsChange]);
  return (
    <nav class="sidebar" aria-label="Conversations" onKeyDown={moveAmongEntries}>
      <header>
        <Wing />
        <span class="brand">Hermes</span>
        <Connection connection={state.connection} />
      </header>
      {hasSessions && (
        <div class="finding">
          <SessionSearch words={search?.words ?? ""} />
          <button
            type="button"
            class="new"
            aria-label="New session"
            title="New session"
            aria-disabled={state.opening !== null}
            onClick={() => void newSession()}
          >
            <PlusIcon />
          </button>
        </div>
      )}
      {state.openProblem !== null && (
        <p class="refusal" role="alert">
          {state.openProblem}
        </p>
      )}
      <div class="entries">
        {search === null ? (
          <Everything state={state} openId={openId} />
        ) : (
          <SearchResults search={search} state={state} openId={openId} />
        )}
      </div>
      {hasSessions && <Keys />}
    </nav>
  );
}

function Everything({ state, openId }: { state: State; openId: string | null }) {
  const { sessions, threads } = state;
  const home = threads.get("home");
  const listed = new Set(sessions?.list.flatMap((session) => session.threads));
  const others = [...threads.values()]
    .filter(({ id }) => id !== "home" && !listed.has(id))
    .sort((a, b) => b.activityAt - a.activityAt);
  return (
    <>
      {state.mayOversee && (
        <a href="/overview" data-page class="entry single" aria-current={openId === "overview" ? "page" : undefined}>
          <OverviewIcon />
          <span class="entry-name">Overview</span>
        </a>
      )}
      {home && <ThreadEntry thread={home} isOpen={openId === "home"} />}
      {sessions !== null && <Sessions sessions={sessions} state={state} openId={openId} />}
      {(sessions === null || others.length > 0) && <h2>{sessions === null ? "Threads" : "Other threads"}</h2>}
      {sessions === null && others.length === 0 && (
        <p class="empty">
          None yet. <code>/handoff web</code> in the terminal brings a session here, in a thread of its own.
        </p>
      )}
      {others.map((thread) => (
        <ThreadEntry key={thread.id} thread={thread} isOpen={openId === thread.id} />
      ))}
    </>
  );
}

function Sessions({
  sessions: { list, cursor, problem },
  state,
  openId,
}: {
  sessions: NonNullable<State["sessions"]>;
  state: State;
  openId: string | null;
}) {
  return (
    <>
      <h2>Sessions</h2>
      {list.map((session) => (
        <SessionEntry key={session.id} session={session} state={state} openId={openId} />
      ))}
      {problem !== null && (
        <p class="empty" role="status">
          {problem}
        </p>
      )}
      {problem === null && list.length === 0 && <p class="empty">None yet. Write a message to begin one.</p>}
      {cursor !== null && (
        <button type="button" class="button older" onClick={() => void loadOlderSessions()}>
          Older sessions
        </button>
      )}
    </>
  );
}

function Connection({ connection }: { connection: State["connection"] }) {
  const text = { connecting: "Connecting…", live: "Connected", lost: "Reconnecting…" }[connection];
  return (
    <span class={`connection ${connection}`} role="status">
      {text}
    </span>
  );
}

function ThreadEntry({ thread, isOpen }: { thread: WireThread; isOpen: boolean }) {
  return (
    <a href={pathTo(thread.id)} data-page class="entry" aria-current={isOpen ? "page" : undefined}>
      {thread.id === "home" ? <HomeIcon /> : <ThreadIcon />}
      <span class="entry-name">
        <bdi>{thread.name}</bdi>
      </span>
      <time dateTime={new Date(thread.activityAt).toISOString()}>
        {thread.preview === null ? "" : shortTime(thread.activityAt)}
      </time>
      <span class="entry-preview">
        <bdi>{previewOf(thread)}</bdi>
      </span>
      <Unread count={thread.unread} />
    </a>
  );
}

function Keys() {
  return (
    <details class="keys">
      <summary>Keys</summary>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Arrow keys go from entry to entry, as in any list; up from the first, to the search. */
function moveAmongEntries(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || event.isComposing) return;
  const entries: Element[] = [...event.currentTarget.querySelectorAll(".search input, .entry, .older")];
  const at = document.activeElement ? entries.indexOf(document.activeElement) : -1;
  const next = entries[at + step];
  if (next instanceof HTMLElement) next.focus();
  event.preventDefault();
}

import type { WireThread } from "../../src/server/wire.ts";
import { pathTo } from "../state/route.ts";
import type { State } from "../state/store.ts";
import { HomeIcon, OverviewIcon, ThreadIcon, Wing } from "./icons.tsx";
import { shortTime } from "./time.ts";

/** The home channel and its threads, those with the latest activity first. */
export function ThreadList({ state, openId }: { state: State; openId: string | null }) {
  const home = state.threads.get("home");
  const threads = [...state.threads.values()]
    .filter((thread) => thread.id !== "home")
    .sort((a, b) => b.activityAt - a.activityAt);
  return (
    <nav class="sidebar" aria-label="Conversations" onKeyDown={moveAmongLinks}>
      <header>
        <Wing />
        <span class="brand">Hermes</span>
        <Connection connection={state.connection} />
      </header>
      <div class="entries">
        {state.mayOversee && (
          <a href="/overview" data-page class="entry single" aria-current={openId === "overview" ? "page" : undefined}>
            <OverviewIcon />
            <span class="entry-name">Overview</span>
          </a>
        )}
        {home && <Entry thread={home} isOpen={openId === "home"} />}
        <h2>Threads</h2>
        {threads.length === 0 && (
          <p class="empty">
            None yet. <code>/handoff web</code> in the terminal brings a session here, in a thread of its own.
          </p>
        )}
        {threads.map((thread) => (
          <Entry key={thread.id} thread={thread} isOpen={openId === thread.id} />
        ))}
      </div>
    </nav>
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

function Entry({ thread, isOpen }: { thread: WireThread; isOpen: boolean }) {
  const unread = thread.unread > 99 ? "99+" : String(thread.unread);
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
        <bdi>{preview(thread)}</bdi>
      </span>
      {thread.unread > 0 && (
        <span class="badge">
          {unread}
          <span class="unseen"> unread</span>
        </span>
      )}
    </a>
  );
}

/** The first words, without the marks of Markdown that mean nothing on one line. */
function preview({ preview }: WireThread): string {
  if (preview === null) return "Nothing here yet";
  const words = preview.text
    .replaceAll(/[*_`#>|~]+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return preview.author === "user" ? `You: ${words}` : words;
}

/** Arrow keys go from entry to entry, as in any list. */
function moveAmongLinks(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const links: Element[] = [...event.currentTarget.querySelectorAll("a.entry")];
  const at = document.activeElement ? links.indexOf(document.activeElement) : -1;
  const next = links[at + step];
  if (next instanceof HTMLElement) next.focus();
  event.preventDefault();
}

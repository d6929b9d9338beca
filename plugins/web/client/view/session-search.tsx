import { useEffect, useRef } from "preact/hooks";
import { search } from "../state/sessions.ts";
import type { State } from "../state/store.ts";
import { SearchIcon } from "./icons.tsx";
import { SEARCH_ID, takeSearchWish } from "./keys.ts";
import { Entry, openTo, SessionEntry, titleOf } from "./session-entry.tsx";

/** Where one types what a session is called, or what was said in it. */
export function SessionSearch({ words }: { words: string }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takeSearchWish()) field.current?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    if (words === "") document.getElementById("composer")?.focus();
    else search("");
  };
  return (
    <search class="search">
      <SearchIcon />
      <input
        id={SEARCH_ID}
        ref={field}
        type="search"
        value={words}
        placeholder="Search sessions"
        aria-label="Search sessions"
        aria-keyshortcuts="/ Control+K"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        enterkeyhint="search"
        onInput={(event) => search(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </search>
  );
}

/** The sessions whose titles have the words, and the messages in which they were said. */
export function SearchResults({
  search: { words, titled, found, problem, isDone },
  state,
  openId,
}: {
  search: NonNullable<State["search"]>;
  state: State;
  openId: string | null;
}) {
  return (
    <>
      {titled.length > 0 && <h2>Titles</h2>}
      {titled.map((session) => (
        <SessionEntry key={session.id} session={session} state={state} openId={openId} words={words} />
      ))}
      {found.length > 0 && <h2>What was said</h2>}
      {found.map(({ session, seq, by, at, excerpt }) => (
        <Entry key={`${session.id} ${seq}`} to={openTo(session, openId)} at={at} name={titleOf(session)}>
          <span class="entry-preview excerpt">
            {by === "you" ? "" : `${by === "hermes" ? "Hermes" : `the ${by}`}: `}
            <bdi>{excerpt.map(({ text, isFound }) => (isFound ? <mark>{text}</mark> : text))}</bdi>
          </span>
        </Entry>
      ))}
      <p class="empty" role="status">
        {summaryOf(isDone, problem, titled.length, found.length)}
      </p>
    </>
  );
}

function summaryOf(isDone: boolean, problem: string | null, titles: number, messages: number): string {
  if (!isDone) return "Searching…";
  if (problem !== null) return problem;
  if (titles + messages === 0)
    return "Nothing has all of these words. They are found whole, or by their first letters: three at least.";
  return `Found: ${counted(titles, "title")}, ${counted(messages, "message")}.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

import { useEffect } from "preact/hooks";
import { Overview } from "../overview/overview.tsx";
import { type Route, useRoute } from "../state/route.ts";
import { type State, useAppState } from "../state/store.ts";
import { Conversation } from "./conversation.tsx";
import { useSearchKey } from "./keys.ts";
import { Sidebar } from "./sidebar.tsx";
import { SignedOut } from "./signed-out.tsx";
import { useIsWide, useViewportHeight } from "./viewport.ts";

/** The page: the list of sessions and threads beside the one that is open. On a phone they are two screens. */
export function App() {
  const state = useAppState();
  const route = useRoute();
  const isWide = useIsWide();
  useViewportHeight();
  useTitle(state, route);
  useSearchKey(state.phase === "ready" && state.hasSessions);
  if (state.phase === "signed-out") return <SignedOut refusal={state.refusal} />;
  if (state.phase === "loading") return <Loading isLost={state.connection === "lost"} />;
  return (
    <div class="app">
      {route.overview === null ? (
        <a class="skip" href="#composer">
          Skip to writing a message
        </a>
      ) : (
        <a class="skip" href="#overview">
          Skip to the overview
        </a>
      )}
      {(isWide || route.isList) && <Sidebar state={state} openId={openIn(route, isWide)} />}
      {(isWide || !route.isList) &&
        (route.overview === null ? (
          <Conversation key={route.threadId} state={state} threadId={route.threadId} />
        ) : (
          <Overview state={state} path={route.overview} />
        ))}
    </div>
  );
}

/** The entry of the list that is open beside it. */
function openIn({ isList, overview, threadId }: Route, isWide: boolean): string | null {
  if (overview !== null) return "overview";
  return isList && !isWide ? null : threadId;
}

function Loading({ isLost }: { isLost: boolean }) {
  return (
    <main class="loading" aria-busy="true">
      <p role="status">{isLost ? "Hermes cannot be reached. Trying again…" : "Loading…"}</p>
    </main>
  );
}

/** What is unread elsewhere counts in the tab, too. */
function useTitle(state: State, { overview, threadId }: Route): void {
  useEffect(() => {
    const unread = [...state.threads.values()].reduce((sum, thread) => sum + thread.unread, 0);
    const name = overview === null ? state.threads.get(threadId)?.name : "Overview";
    document.title = `${unread > 0 ? `(${unread}) ` : ""}${name ? `${name} · ` : ""}Hermes`;
  }, [state.threads, threadId, overview]);
}

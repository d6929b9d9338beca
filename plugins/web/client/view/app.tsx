import { useEffect } from "preact/hooks";
import { useRoute } from "../state/route.ts";
import { type State, useAppState } from "../state/store.ts";
import { Conversation } from "./conversation.tsx";
import { SignedOut } from "./signed-out.tsx";
import { ThreadList } from "./thread-list.tsx";
import { useIsWide, useViewportHeight } from "./viewport.ts";

/** The page: the list of threads beside the one that is open. On a phone they are two screens. */
export function App() {
  const state = useAppState();
  const route = useRoute();
  const isWide = useIsWide();
  useViewportHeight();
  useTitle(state, route.threadId);
  if (state.phase === "signed-out") return <SignedOut refusal={state.refusal} />;
  if (state.phase === "loading") return <Loading isLost={state.connection === "lost"} />;
  return (
    <div class="app">
      <a class="skip" href="#composer">
        Skip to writing a message
      </a>
      {(isWide || route.isList) && (
        <ThreadList state={state} openId={route.isList && !isWide ? null : route.threadId} />
      )}
      {(isWide || !route.isList) && <Conversation key={route.threadId} state={state} threadId={route.threadId} />}
    </div>
  );
}

function Loading({ isLost }: { isLost: boolean }) {
  return (
    <main class="loading" aria-busy="true">
      <p role="status">{isLost ? "Hermes cannot be reached. Trying again…" : "Loading…"}</p>
    </main>
  );
}

/** What is unread elsewhere counts in the tab, too. */
function useTitle(state: State, threadId: string): void {
  useEffect(() => {
    const unread = [...state.threads.values()].reduce((sum, thread) => sum + thread.unread, 0);
    const name = state.threads.get(threadId)?.name;
    document.title = `${unread > 0 ? `(${unread}) ` : ""}${name ? `${name} · ` : ""}Hermes`;
  }, [state.threads, threadId]);
}

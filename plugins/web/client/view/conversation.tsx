import { useEffect } from "preact/hooks";
import { loadLog, view } from "../state/live.ts";
import { logOf } from "../state/merge.ts";
import type { State } from "../state/store.ts";
import { Composer } from "./composer.tsx";
import { BackIcon } from "./icons.tsx";
import { MessageLog } from "./message-log.tsx";

/** A thread that is open, or the home channel. */
export function Conversation({ state, threadId }: { state: State; threadId: string }) {
  const log = logOf(state, threadId);
  const thread = state.threads.get(threadId);
  useEffect(() => {
    if (!log.isLoaded) void loadLog(threadId);
  }, [threadId, log.isLoaded]);
  useEffect(() => {
    view(threadId);
    return () => view(null);
  }, [threadId]);
  return (
    <main class="conversation">
      <header>
        <a href="/threads" data-page class="back" aria-label="All conversations">
          <BackIcon />
        </a>
        <div class="where">
          <h1>
            <bdi>{thread?.name ?? "This thread is gone"}</bdi>
          </h1>
          <p>{subtitle(state, threadId)}</p>
        </div>
      </header>
      {thread ? (
        <>
          <MessageLog state={state} thread={thread} log={log} />
          <Composer
            threadId={threadId}
            isLost={state.connection === "lost"}
            readers={state.readers.get(threadId) ?? []}
            replyingTo={state.replyingTo.get(threadId) ?? null}
          />
        </>
      ) : (
        <Gone />
      )}
    </main>
  );
}

function subtitle(state: State, threadId: string): string {
  if (state.connection === "lost") return "Reconnecting…";
  if (!state.threads.has(threadId)) return "It was removed";
  return threadId === "home" ? "Your home channel" : "A session from the terminal";
}

function Gone() {
  return (
    <div class="empty-state">
      <p>This thread was removed. Its session is not lost: resume it in the terminal, or in your home channel.</p>
      <p>
        <code>/resume</code>
      </p>
      <a class="button" href="/" data-page>
        Go to the home channel
      </a>
    </div>
  );
}

import { useEffect } from "preact/hooks";
import { loadLog, unview, view } from "../state/live.ts";
import { logOf } from "../state/merge.ts";
import { loadHere } from "../state/sessions.ts";
import type { State } from "../state/store.ts";
import { Composer } from "./composer.tsx";
import { BackIcon } from "./icons.tsx";
import { useStopKey } from "./keys.ts";
import { MessageLog } from "./message-log.tsx";
import { placesText } from "./places-text.ts";
import { SessionFacts, StopButton, TurnStatus } from "./session-head.tsx";

/** A thread that is open, or the home channel. */
export function Conversation({ state, threadId }: { state: State; threadId: string }) {
  const log = logOf(state, threadId);
  const thread = state.threads.get(threadId);
  useEffect(() => {
    if (!log.isLoaded) void loadLog(threadId);
  }, [threadId, log.isLoaded]);
  useEffect(() => {
    view(threadId);
    return () => unview(threadId);
  }, [threadId]);
  const isLive = state.connection === "live" && state.hasSessions;
  useEffect(() => {
    if (isLive) void loadHere(threadId);
  }, [threadId, isLive]);
  useStopKey(threadId);
  const here = state.here.get(threadId) ?? null;
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
        {thread && <StopButton state={state} threadId={threadId} />}
        {thread && here && <SessionFacts here={here} threadId={threadId} />}
        <TurnStatus here={here} />
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
  const elsewhere = state.here.get(threadId)?.elsewhere ?? [];
  const also = elsewhere.length === 0 ? "" : `lso open ${placesText(elsewhere)}`;
  if (threadId === "home") return also === "" ? "Your home channel" : `Your home channel, a${also}`;
  if (also !== "") return `A${also}`;
  return state.here.has(threadId) ? "Open nowhere else" : "A session from the terminal";
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

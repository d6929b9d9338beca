import { useMemo, useRef } from "preact/hooks";
import type { WireMessage, WireThread } from "../../src/server/wire/thread.ts";
import { useCalls } from "../state/calls.ts";
import { loadOlder } from "../state/live.ts";
import { type CallPlaces, placeCalls } from "../state/place-calls.ts";
import { useReadMark } from "../state/read-marks.ts";
import type { Log, Pressed, State } from "../state/store.ts";
import { Growing } from "./growing.tsx";
import { DownIcon } from "./icons.tsx";
import { Message } from "./message.tsx";
import { OutgoingMessage } from "./outgoing-message.tsx";
import { reachable } from "./reachable.ts";
import { dayName, isSameDay } from "./time.ts";
import { useMoment } from "./use-moment.ts";
import { useScroll } from "./use-scroll.ts";
import { Work } from "./work.tsx";

/** How long after its last change an answer counts as growing, in milliseconds. */
const GROWING_MS = 1_500;

/** The messages of a thread, the newest at the bottom. */
export function MessageLog({ state, thread, log }: { state: State; thread: WireThread; log: Log }) {
  const scroller = useRef<HTMLDivElement>(null);
  // One whose answer got lost on the way is there already.
  const outgoing = state.outgoing.filter(
    ({ id, threadId }) => threadId === thread.id && !log.messages.some((message) => message.id === id),
  );
  const { isAtEnd, toEnd, onScroll } = useScroll(scroller, log, outgoing, state);
  const now = useMoment(Math.max(state.typing.get(thread.id) ?? 0, latestChange(state, log) + GROWING_MS));
  const isTyping = (state.typing.get(thread.id) ?? 0) > now;
  const growing = state.growing.get(thread.id);
  const newFrom = useFirstUnread(thread, log);
  useReadMark(thread.id, log, isAtEnd, thread.unread);

  useCalls(thread.id, log, state);
  const running = state.running.get(thread.id);
  const places = useMemo(() => placeCalls(log.messages, state.turns, running), [log.messages, state.turns, running]);
  const isWorking = state.turns.get(running ?? "")?.calls.some((call) => call.state === "runs") ?? false;

  const lastOwn = log.messages.findLast(({ kind }) => kind === "user")?.id;
  const atEnd = places.atEnd && <Work key={places.atEnd.turnId} threadId={thread.id} placed={places.atEnd} />;
  const isEmpty = log.isLoaded && log.messages.length === 0 && outgoing.length === 0;
  return (
    <div class="log-frame">
      <div
        class="log"
        ref={scroller}
        onScroll={onScroll}
        {...reachable}
        role="log"
        aria-live="polite"
        aria-relevant="additions"
        aria-label={`Messages in ${thread.name}`}
      >
        <div class="log-inside">
          {log.hasMore && (
            <button
              type="button"
              class="button older"
              onClick={() => {
                // Where the server cannot be reached, the button stays and can be pressed again.
                loadOlder(thread.id).catch(() => {});
              }}
            >
              Show earlier messages
            </button>
          )}
          {!log.isLoaded && <p class="hint centred">Loading…</p>}
          {isEmpty && <Empty isHome={thread.id === "home"} />}
          {log.messages.map((message, index) => (
            <Entry
              key={message.id}
              message={message}
              before={log.messages[index - 1]}
              isFirstNew={message.seq === newFrom}
              isGrowing={(state.changedAt.get(message.id) ?? 0) + GROWING_MS > now}
              isLastOwn={message.id === lastOwn}
              pressed={state.pressed.get(message.id)}
              places={places}
            />
          ))}
          {outgoing.map((message) => (
            <OutgoingMessage key={message.id} message={message} />
          ))}
          {growing === undefined ? atEnd : <Growing said={growing}>{atEnd}</Growing>}
          {(isTyping || isWorking) && growing === undefined && <Typing isWorking={isWorking} />}
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" class="to-end" onClick={toEnd}>
          <DownIcon />
          <span>{thread.unread > 0 ? "New messages" : "To the end"}</span>
        </button>
      )}
    </div>
  );
}

function Entry(props: {
  message: WireMessage;
  before: WireMessage | undefined;
  isFirstNew: boolean;
  isGrowing: boolean;
  isLastOwn: boolean;
  pressed: Pressed | undefined;
  places: CallPlaces;
}) {
  const { message, before, isFirstNew, isGrowing, isLastOwn, pressed, places } = props;
  const { id, threadId } = message;
  const [inFront, behind] = [places.before.get(id), places.after.get(id)];
  return (
    <>
      {(!before || !isSameDay(before.sentAt, message.sentAt)) && <p class="divider">{dayName(message.sentAt)}</p>}
      {isFirstNew && <p class="divider new">New</p>}
      {inFront && <Work threadId={threadId} placed={inFront} />}
      <Message message={message} isGrowing={isGrowing} showsReceipt={isLastOwn} pressed={pressed} />
      {behind && <Work threadId={threadId} placed={behind} />}
    </>
  );
}

function Typing({ isWorking }: { isWorking: boolean }) {
  return (
    <p class="typing" role="status">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span>{isWorking ? "Hermes is using tools…" : "Hermes is writing…"}</span>
    </p>
  );
}

function Empty({ isHome }: { isHome: boolean }) {
  return isHome ? (
    <div class="empty-state">
      <h2>Your home channel</h2>
      <p>Write below to start a session with Hermes here.</p>
      <p>
        Or bring one along: in the terminal, <code>/handoff web</code> opens a thread with everything that was said.
      </p>
    </div>
  ) : (
    <div class="empty-state">
      <h2>A moment, please</h2>
      <p>The session is on its way from the terminal.</p>
    </div>
  );
}

function latestChange(state: State, log: Log): number {
  const last = log.messages.at(-1);
  return last ? (state.changedAt.get(last.id) ?? 0) : 0;
}

/** The first message that had not been seen when the thread was opened; the line above it stays until it is left. */
function useFirstUnread(thread: WireThread, log: Log): number | null {
  const unreadAtFirst = useRef(thread.unread);
  const found = useRef<number | null | undefined>(undefined);
  if (found.current === undefined && log.isLoaded) {
    const others = log.messages.filter(({ author }) => author !== "user");
    const count = unreadAtFirst.current;
    const first = count > 0 ? others.at(-count) : undefined;
    // Above the first message of all, the line would say nothing.
    found.current = first && first !== log.messages[0] ? first.seq : null;
  }
  return found.current ?? null;
}

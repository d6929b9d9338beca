import type { WireEvent, WireMessage, WireThread, WireTurn } from "../../src/server/wire/thread.ts";
import { type Log, type State, withEntry, withoutEntry } from "./store.ts";

const EMPTY: Log = { messages: [], hasMore: false, isLoaded: false };

/**
 * Puts messages among those that are known. Of two versions of one, the newer stays: an answer to a request and the
 * live stream may come in either order.
 */
export function mergeMessages(known: readonly WireMessage[], found: readonly WireMessage[]): WireMessage[] {
  const byId = new Map(known.map((message) => [message.id, message]));
  for (const message of found) {
    const before = byId.get(message.id);
    if (!before || before.change < message.change) byId.set(message.id, message);
  }
  return [...byId.values()].sort((a, b) => a.seq - b.seq);
}

export function logOf(state: State, threadId: string): Log {
  return state.logs.get(threadId) ?? EMPTY;
}

/** The state after an event of the live stream. */
export function applyEvent(state: State, event: WireEvent, now: number): Partial<State> {
  switch (event.type) {
    case "message":
      return applyMessage(state, event.message, now);
    case "thread":
      return { threads: putThread(state.threads, event.thread) };
    case "thread-gone":
      return { threads: withoutEntry(state.threads, event.threadId) };
    case "typing":
      return { typing: withEntry(state.typing, event.threadId, now + event.forMs) };
    case "overview":
      return { overviewChange: state.overviewChange + 1 };
    case "sessions":
      return { sessionsChange: state.sessionsChange + 1 };
    case "session":
      return { here: withEntry(state.here, event.threadId, event.session) };
    case "growing":
      return {
        growing:
          event.said === null
            ? withoutEntry(state.growing, event.threadId)
            : withEntry(state.growing, event.threadId, event.said),
      };
    case "calls":
      return applyCalls(state, event.threadId, event.turn);
    case "readers":
      return { readers: withEntry(state.readers, event.threadId, event.readers) };
    case "reset":
      return {};
  }
}

function applyCalls({ turns, running }: State, threadId: string, turn: WireTurn | null): Partial<State> {
  if (turn !== null) {
    return { turns: withEntry(turns, turn.turnId, turn), running: withEntry(running, threadId, turn.turnId) };
  }
  const former = running.get(threadId);
  return former === undefined ? {} : { turns: withoutEntry(turns, former), running: withoutEntry(running, threadId) };
}

export function applyMessage(state: State, message: WireMessage, now: number): Partial<State> {
  const log = logOf(state, message.threadId);
  const thread = state.threads.get(message.threadId);
  const isLatest = thread && (thread.preview?.seq ?? 0) <= message.seq;
  const isSpoken = message.author === "agent" || message.kind === "question";
  return {
    logs: withEntry(state.logs, message.threadId, { ...log, messages: mergeMessages(log.messages, [message]) }),
    ...(message.kind === "echo" ? { growing: withoutSaid(state.growing, message) } : {}),
    outgoing: state.outgoing.filter(({ id }) => id !== message.id),
    ...(isLatest ? { threads: putThread(state.threads, withPreview(thread, message)) } : {}),
    // The words themselves show now that something is being written.
    ...(isSpoken
      ? {
          typing: withoutEntry(state.typing, message.threadId),
          changedAt: withEntry(state.changedAt, message.id, now),
        }
      : {}),
  };
}

/** What was growing has become a message: the question first, then the answer. */
function withoutSaid(growing: State["growing"], { threadId, author }: WireMessage): State["growing"] {
  const said = growing.get(threadId);
  if (said === undefined) return growing;
  return author === "user" ? withEntry(growing, threadId, { ...said, asked: "" }) : withoutEntry(growing, threadId);
}

function withPreview(thread: WireThread, { seq, author, text }: WireMessage): WireThread {
  return { ...thread, preview: { seq, author, text: text.slice(0, 160) } };
}

function putThread(threads: State["threads"], thread: WireThread): State["threads"] {
  const before = threads.get(thread.id);
  return before && before.change > thread.change ? threads : withEntry(threads, thread.id, thread);
}

import type { WireEvent } from "../../src/server/wire.ts";
import { ApiError, loadChats, loadMessages, signIn } from "./api.ts";
import { applyEvent, logOf, mergeMessages } from "./merge.ts";
import { sendOutgoing } from "./outgoing.ts";
import { getState, setState, withEntry } from "./store.ts";

const EVENT_TYPES = ["message", "thread", "thread-gone", "typing", "reset"] as const;
const LONGEST_PAUSE_MS = 15_000;

let source: EventSource | null = null;
let pauseMs = 1_000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Signs in with the code of the link, if the address has one; then loads the chats and follows them. */
export async function start(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code !== null) {
    // At once, so that it stays neither in the history nor in what is bookmarked.
    history.replaceState(null, "", location.pathname);
    // A browser that is signed in already needs no code; whether it is, loading tells.
    await signIn(code).catch((error: unknown) => setState({ refusal: sentenceOf(error) }));
  }
  await connect();
  addEventListener("online", reconnectNow);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") reconnectNow();
  });
}

function sentenceOf(error: unknown): string {
  return error instanceof ApiError ? error.message : "Hermes cannot be reached. Is the gateway running?";
}

/** Loads everything that is shown, and follows it from there. */
async function connect(): Promise<void> {
  clearTimeout(timer);
  source?.close();
  source = null;
  try {
    const { home, threads, eventId } = await loadChats();
    const shown = [...getState().logs.keys()];
    setState({
      phase: "ready",
      refusal: null,
      threads: new Map([home, ...threads].map((thread) => [thread.id, thread])),
      logs: new Map(),
    });
    follow(eventId);
    await Promise.all(shown.map((threadId) => loadLog(threadId)));
  } catch (error) {
    failed(error);
  }
}

function failed(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) {
    setState({ phase: "signed-out", connection: "lost" });
    return;
  }
  setState({ connection: "lost" });
  timer = setTimeout(connect, pauseMs);
  pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
}

function reconnectNow(): void {
  if (getState().phase === "signed-out" || (source && source.readyState === EventSource.OPEN)) return;
  void connect();
}

function follow(eventId: string): void {
  const stream = new EventSource(`/api/events?after=${encodeURIComponent(eventId)}`);
  source = stream;
  stream.onopen = () => {
    pauseMs = 1_000;
    setState({ connection: "live" });
    sendOutgoing();
  };
  stream.onerror = () => {
    setState({ connection: "lost" });
    // While it is CONNECTING the browser itself resumes, from the last event it saw. Refused, it gives up.
    if (stream.readyState === EventSource.CLOSED && source === stream) timer = setTimeout(connect, pauseMs);
  };
  for (const type of EVENT_TYPES) {
    stream.addEventListener(type, ({ data }: MessageEvent<string>) => take({ type, ...JSON.parse(data) } as WireEvent));
  }
}

let waiting: WireEvent[] = [];

/** Events are taken together, once a frame: what grows faster than it can be drawn is drawn in its latest state. */
function take(event: WireEvent): void {
  if (event.type === "reset") {
    void connect();
    return;
  }
  waiting.push(event);
  if (waiting.length > 1) return;
  // Frames stop in a tab that is not looked at; its title should count on.
  if (document.visibilityState === "visible") requestAnimationFrame(takeWaiting);
  else setTimeout(takeWaiting, 100);
}

function takeWaiting(): void {
  const events = waiting;
  waiting = [];
  const now = Date.now();
  let state = getState();
  for (const event of events) state = { ...state, ...applyEvent(state, event, now) };
  setState(state);
}

/** Loads a thread's latest messages, or those before the oldest that is known. */
export async function loadLog(threadId: string, older = false): Promise<void> {
  const first = logOf(getState(), threadId).messages[0];
  try {
    const { messages, hasMore } = await loadMessages(threadId, older ? first?.seq : undefined);
    const log = logOf(getState(), threadId);
    const merged = mergeMessages(log.messages, messages);
    setState({
      logs: withEntry(getState().logs, threadId, {
        messages: merged,
        hasMore: older || !log.isLoaded ? hasMore : log.hasMore,
        isLoaded: true,
      }),
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 410) {
      const threads = new Map(getState().threads);
      threads.delete(threadId);
      setState({ threads });
    } else if (!older) failed(error);
  }
}

import type { WireEvent } from "../../src/server/wire/thread.ts";
import { ApiError, loadChats, loadMessages, sentenceOf, signIn, tellViewing } from "./api.ts";
import { callsMayHaveChanged } from "./calls.ts";
import { applyEvent, logOf, mergeMessages } from "./merge.ts";
import { sendOutgoing } from "./outgoing.ts";
import { getState, type Log, setState, withEntry, withoutEntry } from "./store.ts";

const EVENT_TYPES = [
  "message",
  "thread",
  "thread-gone",
  "typing",
  "growing",
  "calls",
  "readers",
  "sessions",
  "session",
  "overview",
  "reset",
] as const;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

/** Names this page to the server, which learns by it which thread somebody looks at. */
const pageId = crypto.getRandomValues(new Uint32Array(2)).join("-");
let viewed: string | null = null;

let source: EventSource | null = null;
let pauseMs = FIRST_PAUSE_MS;
let timer: ReturnType<typeof setTimeout> | undefined;
/** Counts the connections, so that one that was overtaken by another knows it. */
let generation = 0;

/** The threads that were opened: loaded anew whenever the page connects anew. */
const opened = new Set<string>();

/** Signs in with the code of the link, if the address has one; then loads the chats and follows them. */
export async function start(): Promise<void> {
  await enter();
  // A link that is opened in a tab that shows this page already changes the fragment only.
  addEventListener("hashchange", () => {
    if (codeInAddress() !== null) void enter();
  });
  addEventListener("online", reconnectNow);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") reconnectNow();
    void sayViewed();
    if (document.visibilityState === "visible") callsMayHaveChanged();
  });
}

/** The thread that is open on this page. */
export function view(threadId: string): void {
  viewed = threadId;
  void sayViewed();
}

/** The thread is open no more. Another one may have been opened before its clean-up comes. */
export function unview(threadId: string): void {
  if (viewed !== threadId) return;
  viewed = null;
  void sayViewed();
}

let isSaying = false;
let isUnsaid = false;

/** One at a time: of two requests on their way, the server might hear the former last. */
async function sayViewed(): Promise<void> {
  isUnsaid = true;
  if (isSaying) return;
  isSaying = true;
  while (isUnsaid) {
    isUnsaid = false;
    const isLookedAt = document.visibilityState === "visible";
    // Said again with the next connection: without it, words grow elsewhere unseen until they are stored.
    await tellViewing(pageId, isLookedAt ? viewed : null).catch(() => {});
  }
  isSaying = false;
}

function codeInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get("code");
}

async function enter(): Promise<void> {
  const code = codeInAddress();
  if (code !== null) {
    // At once, so that it stays neither in the history nor in what is bookmarked.
    history.replaceState(null, "", location.pathname);
    // A browser that is signed in already needs no code; whether it is, loading tells.
    await signIn(code).catch((error: unknown) => setState({ refusal: sentenceOf(error) }));
  }
  await connect();
}

/** Loads everything that is shown, and follows it from there. */
async function connect(): Promise<void> {
  clearTimeout(timer);
  source?.close();
  source = null;
  const own = ++generation;
  try {
    const { home, threads, eventId, mayOversee, hasSessions } = await loadChats();
    if (own !== generation) return;
    setState({
      phase: "ready",
      refusal: null,
      mayOversee,
      hasSessions,
      sessionsChange: getState().sessionsChange + 1,
      overviewChange: getState().overviewChange + 1,
      threads: new Map([home, ...threads].map((thread) => [thread.id, thread])),
    });
    follow(eventId);
    await Promise.all([...opened].map(loadLog));
  } catch (error) {
    if (own === generation) failed(error);
  }
}

function failed(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) setState({ phase: "signed-out", connection: "lost" });
  else connectLater();
}

function connectLater(): void {
  setState({ connection: "lost" });
  clearTimeout(timer);
  timer = setTimeout(connect, pauseMs);
  pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
}

function reconnectNow(): void {
  if (getState().phase === "signed-out" || (source && source.readyState === EventSource.OPEN)) return;
  void connect();
}

function follow(eventId: string): void {
  const stream = new EventSource(`/api/events?after=${encodeURIComponent(eventId)}&page=${pageId}`);
  source = stream;
  stream.onopen = () => {
    pauseMs = FIRST_PAUSE_MS;
    setState({ connection: "live" });
    void sayViewed();
    callsMayHaveChanged();
    sendOutgoing();
  };
  stream.onerror = () => {
    if (source !== stream) return;
    // While it is CONNECTING the browser itself resumes, from the last event it saw. Refused, it gives up.
    if (stream.readyState === EventSource.CLOSED) connectLater();
    else setState({ connection: "lost" });
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
  requestAnimationFrame(takeWaiting);
  setTimeout(takeWaiting, 200);
}

function takeWaiting(): void {
  if (waiting.length === 0) return;
  const events = waiting;
  waiting = [];
  const now = Date.now();
  let state = getState();
  for (const event of events) state = { ...state, ...applyEvent(state, event, now) };
  setState(state);
}

/** Loads a thread's latest messages. What is known and older is forgotten: there may be a gap before them now. */
export async function loadLog(threadId: string): Promise<void> {
  opened.add(threadId);
  try {
    const { messages, hasMore } = await loadMessages(threadId);
    const oldest = messages[0]?.seq ?? 0;
    const known = logOf(getState(), threadId).messages.filter(({ seq }) => seq >= oldest);
    putLog(threadId, { messages: mergeMessages(known, messages), hasMore, isLoaded: true });
  } catch (error) {
    if (error instanceof ApiError && error.status === 410) {
      setState({ threads: withoutEntry(getState().threads, threadId) });
    } else failed(error);
  }
}

/** Loads the messages before the oldest that is known. Throws when it cannot. */
export async function loadOlder(threadId: string): Promise<void> {
  const first = logOf(getState(), threadId).messages[0];
  const { messages, hasMore } = await loadMessages(threadId, first?.seq);
  const known = logOf(getState(), threadId).messages;
  putLog(threadId, { messages: mergeMessages(known, messages), hasMore, isLoaded: true });
}

function putLog(threadId: string, log: Log): void {
  setState({ logs: withEntry(getState().logs, threadId, log) });
}

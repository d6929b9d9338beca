import type { WireListed } from "../../src/server/wire/session.ts";
import {
  findInSessions,
  listSessions,
  postNewSession,
  postOpenSession,
  loadHere as readHere,
  sentenceOf,
} from "./api.ts";
import { newId } from "./new-id.ts";
import { say } from "./outgoing.ts";
import { goTo, pathTo } from "./route.ts";
import { getState, type State, setState, withEntry } from "./store.ts";

/** As many as the server takes. */
const LONGEST_PAGE = 100;
const FIRST_PAGE = 30;

/** Milliseconds after the last key before a search begins. */
const REST_MS = 200;

/** Loads the sessions anew, as many as are shown. */
export async function loadSessions(): Promise<void> {
  const { list = [], cursor = null } = getState().sessions ?? {};
  // Where all are shown, one more is asked for: a full page would mean that there are others.
  const limit = Math.min(LONGEST_PAGE, Math.max(FIRST_PAGE, cursor === null ? list.length + 1 : list.length));
  try {
    const page = await listSessions({ limit });
    setState({ sessions: { list: page.sessions, cursor: page.cursor, problem: null } });
  } catch (error) {
    setState({ sessions: { list: [], cursor: null, problem: sentenceOf(error) } });
  }
}

/** Loads the next page of sessions. */
export async function loadOlderSessions(): Promise<void> {
  const { sessions } = getState();
  if (sessions?.cursor == null) return;
  try {
    const page = await listSessions({ limit: FIRST_PAGE, after: sessions.cursor });
    const known = new Set(sessions.list.map(({ id }) => id));
    const list = [...sessions.list, ...page.sessions.filter(({ id }) => !known.has(id))];
    setState({ sessions: { list, cursor: page.cursor, problem: null } });
  } catch (error) {
    setState({ sessions: { ...sessions, problem: sentenceOf(error) } });
  }
}

let resting: ReturnType<typeof setTimeout> | undefined;

/** Searches titles and what was said, when one has stopped typing; empty words end the search. */
export function search(words: string): void {
  clearTimeout(resting);
  if (words.trim() === "") {
    setState({ search: null });
    return;
  }
  const before = getState().search;
  setState({ search: { titled: [], found: [], problem: null, ...before, words, isDone: false } });
  resting = setTimeout(() => void find(words), REST_MS);
}

async function find(words: string): Promise<void> {
  const isCurrent = () => getState().search?.words === words;
  try {
    const [{ sessions: titled }, { found }] = await Promise.all([
      listSessions({ limit: FIRST_PAGE, matching: words.trim() }),
      findInSessions(words.trim()),
    ]);
    if (isCurrent()) setState({ search: { words, titled, found, problem: null, isDone: true } });
  } catch (error) {
    if (isCurrent()) setState({ search: { words, titled: [], found: [], problem: sentenceOf(error), isDone: true } });
  }
}

/** Goes to a session where the page shows it, else has it come to a thread of its own. */
export function openSession({ id }: Pick<WireListed, "id">): Promise<void> {
  return open(id, () => postOpenSession(newId(), id));
}

/** Goes to a thread in which nothing was said yet. */
export function newSession(): Promise<void> {
  return open("new", () => postNewSession(newId()));
}

/** One at a time: a second press while the first is on its way opens nothing. */
async function open(what: string, ask: () => Promise<{ readonly threadId: string }>): Promise<void> {
  if (getState().opening !== null) return;
  setState({ opening: what, openProblem: null });
  try {
    const { threadId } = await ask();
    setState({ opening: null });
    goTo(pathTo(threadId));
  } catch (error) {
    setState({ opening: null, openProblem: sentenceOf(error) });
  }
}

/** Loads how the session of a thread stands; the live stream tells what changes from then on. */
export async function loadHere(threadId: string): Promise<void> {
  const before = getState().here.get(threadId);
  const here = await readHere(threadId).catch(() => null);
  // What came by the stream meanwhile is newer.
  if (getState().here.get(threadId) === before) setState({ here: withEntry(getState().here, threadId, here) });
}

/** Whether a thread's session has a turn that the person may stop, and whether they have asked for it. */
export function stopOf({ here, stopping }: State, threadId: string): "none" | "can" | "asked" {
  const { turn = null, mayStop = false } = here.get(threadId) ?? {};
  if (turn === null || !mayStop) return "none";
  return stopping.get(threadId) === turn.startedAt ? "asked" : "can";
}

/** Asks Hermes to stop what runs in a thread's session, as /stop does; false where there is nothing to ask for. */
export function stop(threadId: string): boolean {
  const state = getState();
  const startedAt = state.here.get(threadId)?.turn?.startedAt;
  if (stopOf(state, threadId) !== "can" || startedAt === undefined) return false;
  setState({ stopping: withEntry(state.stopping, threadId, startedAt) });
  say(threadId, "/stop");
  return true;
}

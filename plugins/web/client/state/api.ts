import type { WireAction } from "../../src/server/wire/overview.ts";
import type { FoundAnswer, OpenedAnswer, WireListedAnswer, WireSessionHere } from "../../src/server/wire/session.ts";
import type {
  CallsAnswer,
  ChatsAnswer,
  EarlierAnswer,
  ErrorAnswer,
  MessagesAnswer,
  OutcomeAnswer,
  PostAnswer,
  WireFile,
} from "../../src/server/wire/thread.ts";

/** The server said no. */
export class ApiError extends Error {
  readonly status: number;
  readonly retryAfterMs: number | null;

  constructor(status: number, text: string, retryAfterMs: number | null) {
    super(text);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Why a request failed, for a person. */
export function sentenceOf(error: unknown): string {
  return error instanceof ApiError ? error.message : "Hermes cannot be reached. Is the gateway running?";
}

export const signIn = (code: string) => post<void>("/api/login", { code });

export const loadChats = () => call<ChatsAnswer>("/api/chats");

export function loadMessages(threadId: string, before?: number): Promise<MessagesAnswer> {
  const query = before === undefined ? "" : `?before=${before}`;
  return call<MessagesAnswer>(`${threadPath(threadId)}/messages${query}`);
}

export function loadCalls(threadId: string, turnIds: readonly string[]): Promise<CallsAnswer> {
  return call<CallsAnswer>(`${threadPath(threadId)}/calls?${new URLSearchParams({ turns: turnIds.join(",") })}`);
}

export function loadOutcome(threadId: string, turnId: string, callId: string): Promise<OutcomeAnswer> {
  return call<OutcomeAnswer>(`${threadPath(threadId)}/outcome?${new URLSearchParams({ turn: turnId, call: callId })}`);
}

/** What was said in a session before it came to a thread; `before`: in front of that. */
export function loadEarlier(threadId: string, messageId: string, before?: number): Promise<EarlierAnswer> {
  const query = new URLSearchParams({ message: messageId, ...(before === undefined ? {} : { before: `${before}` }) });
  return call<EarlierAnswer>(`${threadPath(threadId)}/earlier?${query}`);
}

export function postMessage(
  threadId: string,
  message: {
    readonly id: string;
    readonly text: string;
    readonly files: readonly WireFile[];
    readonly replyTo?: string;
  },
): Promise<PostAnswer> {
  return post<PostAnswer>(`${threadPath(threadId)}/messages`, message);
}

/** Uploads a file, which may take minutes on a slow line. */
export function uploadFile(file: File): Promise<WireFile> {
  const query = new URLSearchParams({ name: file.name || "file", type: file.type });
  return call<WireFile>(
    `/api/files?${query}`,
    { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file },
    300_000,
  );
}

export const postPress = (threadId: string, messageId: string, choiceId: string) =>
  post<void>(`${threadPath(threadId)}/press`, { messageId, choiceId });

/** A page of the sessions that the person may see. `matching`: a part of the title. */
export function listSessions(query: {
  readonly limit: number;
  readonly after?: string;
  readonly matching?: string;
}): Promise<WireListedAnswer> {
  return call<WireListedAnswer>(`/api/sessions?${new URLSearchParams({ ...query, limit: String(query.limit) })}`);
}

export const findInSessions = (words: string) =>
  call<FoundAnswer>(`/api/sessions/search?${new URLSearchParams({ words })}`);

/** `id`: names the request, and the message by which it asks for the session. */
export const postOpenSession = (id: string, sessionId: string) =>
  post<OpenedAnswer>("/api/sessions/open", { id, sessionId });

export const postNewSession = (id: string) => post<OpenedAnswer>("/api/sessions/new", { id });

export const loadHere = (threadId: string) => call<WireSessionHere>(`${threadPath(threadId)}/session`);

/** A document of the overview; `path` is behind `/api/overview/`. */
export const readOverview = <T>(path: string) => call<T>(`/api/overview/${path}`);

export const postAction = <T>(action: WireAction) => post<T>("/api/overview/act", action);

export const tellViewing = (page: string, threadId: string | null) => post<void>("/api/viewing", { page, threadId });

export const markRead = (threadId: string, seq: number) => post<void>(`${threadPath(threadId)}/read`, { seq });

function threadPath(threadId: string): string {
  return `/api/threads/${encodeURIComponent(threadId)}`;
}

function post<T>(path: string, body: unknown): Promise<T> {
  return call<T>(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Throws an ApiError for a refusal, and whatever fetch throws when the server cannot be reached. */
async function call<T>(path: string, init?: RequestInit, patienceMs = 20_000): Promise<T> {
  const response = await fetch(path, { ...init, signal: AbortSignal.timeout(patienceMs) });
  if (!response.ok) {
    const seconds = Number(response.headers.get("retry-after"));
    const answer = (await response.json().catch(() => null)) as ErrorAnswer | null;
    const text = answer?.error.text ?? `The server answered with status ${response.status}.`;
    throw new ApiError(response.status, text, seconds > 0 ? seconds * 1000 : null);
  }
  return (response.status === 204 ? undefined : await response.json()) as T;
}

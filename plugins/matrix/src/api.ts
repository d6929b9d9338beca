import { apiFetch, type Logger, timeLimit } from "@hermes/core";
import { createClient, type MatrixClient, MatrixError, Method } from "matrix-js-sdk";
import {
  fileTooLarge,
  isNotFound,
  isTokenUnknown,
  isTooLarge,
  PlaceUnknown,
  SessionEnded,
  toPlatformError,
} from "./errors.ts";
import { CLIENT_API, type Content, type MatrixEvent, numberOf, type SyncResponse } from "./wire.ts";

/** A call without an answer is given up after this, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** A file that is not stored by then is tried again, in milliseconds. */
const UPLOAD_MS = 50_000;

/** How much longer than the server holds a sync back its answer is waited for, in milliseconds. */
const SYNC_PATIENCE_MS = 20_000;

/** Sync in one answer: the latest messages of a room, and of its members those who matter. */
const FILTER = JSON.stringify({
  presence: { not_types: ["*"] },
  account_data: { not_types: ["*"] },
  room: {
    timeline: { limit: 50, lazy_load_members: true },
    state: { lazy_load_members: true },
    ephemeral: { not_types: ["*"] },
    account_data: { not_types: ["*"] },
  },
});

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Content | string;
  readonly signal?: AbortSignal;
  /** In milliseconds. */
  readonly timeoutMs?: number;
  /** What stands before the path; `/_matrix/client/v3` unless set. */
  readonly prefix?: string;
}

export interface MessagesPage {
  /** Newest first. */
  readonly chunk: readonly MatrixEvent[];
  /** From where to go on; undefined at the end. */
  readonly end?: string;
}

/** The client-server API, as one session. Every failure is a PlatformError. */
export class MatrixApi {
  readonly #client: MatrixClient;
  readonly #stopped = new AbortController();
  /** Hears that the server takes the token no more; true when another session is opened then. */
  onTokenUnknown: () => boolean = () => false;

  constructor(session: { readonly baseUrl: string; readonly accessToken?: string }, logger: Logger) {
    // It follows no redirect, by which what is said in a room would be said elsewhere.
    this.#client = createClient({ ...session, fetchFn: apiFetch, logger: quietLogger(logger) });
  }

  /** Ends all calls that are under way. */
  stop(): void {
    this.#stopped.abort();
  }

  whoami(signal?: AbortSignal): Promise<{ readonly user_id: string; readonly device_id?: string }> {
    return this.request(Method.Get, "/account/whoami", { ...(signal ? { signal } : {}) });
  }

  /**
   * Whether the server still takes the token. `expired`: its device stays, and logging in for that gives another one
   * ("Soft logout").
   */
  async tokenState(signal: AbortSignal): Promise<"valid" | "expired" | "ended"> {
    try {
      await this.#call(Method.Get, "/account/whoami", { signal });
      return "valid";
    } catch (error) {
      const known = toPlatformError(error);
      if (known.code !== "PLATFORM_UNAUTHORISED") throw known;
      return error instanceof MatrixError && error.data.soft_logout === true ? "expired" : "ended";
    }
  }

  logIn(
    body: Content,
    signal: AbortSignal,
  ): Promise<Readonly<Record<"user_id" | "device_id" | "access_token", string>>> {
    return this.request(Method.Post, "/login", { body, signal });
  }

  /**
   * What has happened since a token; held back by the server until there is something, for `timeoutMs` at most. Throws
   * PlaceUnknown when the server can do nothing with `since`: after it was restored or moved, say.
   */
  async sync(since: string | null, timeoutMs: number, signal: AbortSignal): Promise<SyncResponse> {
    const query = { filter: FILTER, timeout: String(timeoutMs), ...(since === null ? {} : { since }) };
    try {
      return await this.#call(Method.Get, "/sync", { query, signal, timeoutMs: timeoutMs + SYNC_PATIENCE_MS });
    } catch (error) {
      // Nothing else of what is asked changes from one sync to the next, and servers differ in the code.
      if (since !== null && error instanceof MatrixError && error.httpStatus === 400) {
        throw new PlaceUnknown(toPlatformError(error).fields.reason?.toString() ?? "no reason was given");
      }
      throw error instanceof SessionEnded ? error : toPlatformError(error);
    }
  }

  async send(roomId: string, type: string, txnId: string, content: Content, signal?: AbortSignal): Promise<string> {
    const path = `/rooms/${encode(roomId)}/send/${encode(type)}/${encode(txnId)}`;
    const sent = await this.request<{ event_id: string }>(Method.Put, path, {
      body: content,
      ...(signal ? { signal } : {}),
    });
    return sent.event_id;
  }

  redact(roomId: string, eventId: string, txnId: string): Promise<unknown> {
    return this.request(Method.Put, `/rooms/${encode(roomId)}/redact/${encode(eventId)}/${encode(txnId)}`, {
      body: {},
    });
  }

  typing(roomId: string, userId: string, timeoutMs: number, signal: AbortSignal): Promise<unknown> {
    const body = { typing: true, timeout: timeoutMs };
    return this.request(Method.Put, `/rooms/${encode(roomId)}/typing/${encode(userId)}`, { body, signal });
  }

  /** An event, with what relates to it; null where there is none, or none that the bot may see. */
  event(roomId: string, eventId: string, signal?: AbortSignal): Promise<MatrixEvent | null> {
    const path = `/rooms/${encode(roomId)}/event/${encode(eventId)}`;
    return this.#orNull(this.#call<MatrixEvent>(Method.Get, path, { ...(signal ? { signal } : {}) }));
  }

  /** A room's events from a position backwards. */
  messages(
    roomId: string,
    query: { readonly from?: string; readonly to?: string; readonly filter?: string },
    signal?: AbortSignal,
  ): Promise<MessagesPage> {
    const path = `/rooms/${encode(roomId)}/messages`;
    return this.request(Method.Get, path, {
      query: { dir: "b", limit: "100", ...query },
      ...(signal ? { signal } : {}),
    });
  }

  /** What relates to an event as `kind`, newest first. */
  relations(roomId: string, eventId: string, kind: string): Promise<{ readonly chunk: readonly MatrixEvent[] }> {
    const path = `/rooms/${encode(roomId)}/relations/${encode(eventId)}/${encode(kind)}`;
    return this.request(Method.Get, path, { prefix: "/_matrix/client/v1", query: { limit: "100" } });
  }

  /** Who is in a room. Fails where the bot is not. */
  async joinedMembers(roomId: string): Promise<string[]> {
    const path = `/rooms/${encode(roomId)}/joined_members`;
    const { joined } = await this.request<{ joined: Readonly<Record<string, unknown>> }>(Method.Get, path);
    return Object.keys(joined);
  }

  /** All state events of a room: where the bot has left it, as it was then. */
  allState(roomId: string): Promise<readonly MatrixEvent[]> {
    return this.request(Method.Get, `/rooms/${encode(roomId)}/state`);
  }

  /** The member events of all who have not left. */
  async members(roomId: string): Promise<readonly MatrixEvent[]> {
    const path = `/rooms/${encode(roomId)}/members`;
    const query = { not_membership: "leave" };
    return (await this.request<{ chunk: readonly MatrixEvent[] }>(Method.Get, path, { query })).chunk;
  }

  /** The content of a state event with an empty key; null where there is none. */
  state(roomId: string, type: string): Promise<Content | null> {
    return this.#orNull(this.#call<Content>(Method.Get, `/rooms/${encode(roomId)}/state/${encode(type)}/`, {}));
  }

  /** Joins a room, reached through the servers of `via` where this one does not know it. */
  async join(roomId: string, via: readonly string[] = []): Promise<string> {
    const servers = via.map((server) => `via=${encode(server)}&server_name=${encode(server)}`).join("&");
    const path = `/join/${encode(roomId)}${servers === "" ? "" : `?${servers}`}`;
    return (await this.request<{ room_id: string }>(Method.Post, path, { body: {} })).room_id;
  }

  async resolveAlias(alias: string): Promise<string | null> {
    const found = await this.#orNull(
      this.#call<{ room_id: string }>(Method.Get, `/directory/room/${encode(alias)}`, {}),
    );
    return found?.room_id ?? null;
  }

  async displayName(userId: string): Promise<string | undefined> {
    const profile = await this.#orNull(
      this.#call<{ displayname?: string }>(Method.Get, `/profile/${encode(userId)}`, {}),
    );
    return profile?.displayname;
  }

  /** Bytes of the largest file that the server stores ("GET /media/config"); null where it does not say. */
  async largestUpload(signal: AbortSignal): Promise<number | null> {
    const ask = (prefix: string, path: string) =>
      this.#call<Content>(Method.Get, path, { prefix, signal }).catch(() => null);
    // A server before v1.11 has it elsewhere.
    const config = (await ask("/_matrix/client/v1", "/media/config")) ?? (await ask("/_matrix/media/v3", "/config"));
    return numberOf(config?.["m.upload.size"]) ?? null;
  }

  /** Stores a file. Returns its `mxc://` address. Throws PLATFORM_REJECTED for one that is larger than the server takes. */
  async upload(content: Uint8Array, mediaType: string, name: string | undefined): Promise<string> {
    const abortController = new AbortController();
    using limit = timeLimit(UPLOAD_MS, this.#stopped.signal);
    limit.signal.addEventListener("abort", () => abortController.abort());
    try {
      const options = { type: mediaType, includeFilename: name !== undefined, ...(name ? { name } : {}) };
      const uploading = this.#client.uploadContent(Buffer.from(content), { ...options, abortController });
      return (await this.#heard(uploading)).content_uri;
    } catch (error) {
      throw isTooLarge(error) ? fileTooLarge() : toPlatformError(error);
    }
  }

  /** A file by its `mxc://` address, with the token in a header ("Content repository", since v1.11). */
  async download(uri: string, signal: AbortSignal): Promise<Response> {
    const [, server = "", id = ""] = /^mxc:\/\/([^/]+)\/([^/?#]+)/.exec(uri) ?? [];
    const path = `/_matrix/client/v1/media/download/${encode(server)}/${encode(id)}`;
    try {
      // Not by the library: it reads to the end, however long the file is.
      return await fetch(this.#client.getHomeserverUrl() + path, {
        headers: { authorization: `Bearer ${this.#client.getAccessToken()}` },
        // A server may have its files elsewhere; `fetch` takes the token to no other origin.
        redirect: "follow",
        signal: AbortSignal.any([this.#stopped.signal, signal]),
      });
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  /** Any other call. */
  async request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
    try {
      return await this.#call<T>(method, path, options);
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  async #call<T>(
    method: Method,
    path: string,
    { query, body, signal, timeoutMs = TIMEOUT_MS, prefix }: RequestOptions,
  ): Promise<T> {
    using limit = timeLimit(timeoutMs, this.#stopped.signal, signal);
    const calling = this.#client.http.authedRequest<T>(method, path, query, body, {
      prefix: prefix ?? CLIENT_API,
      priority: "auto",
      // Not the library's own timeout: its timer would keep a process that leaves.
      abortSignal: limit.signal,
      ...(typeof body === "string" ? { headers: { "Content-Type": "application/json" } } : {}),
    });
    return await this.#heard(calling);
  }

  /** Whoever calls first learns that the session has ended: a sync that is held back hears of it half a minute later. */
  async #heard<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      throw isTokenUnknown(error) && this.onTokenUnknown() ? new SessionEnded() : error;
    }
  }

  async #orNull<T>(call: Promise<T>): Promise<T | null> {
    try {
      return await call;
    } catch (error) {
      if (isNotFound(error)) return null;
      throw toPlatformError(error);
    }
  }
}

/** An id as a part of a path. */
export function encode(part: string): string {
  return encodeURIComponent(part);
}

interface SdkLogger {
  trace(...parts: unknown[]): void;
  debug(...parts: unknown[]): void;
  info(...parts: unknown[]): void;
  warn(...parts: unknown[]): void;
  error(...parts: unknown[]): void;
  getChild(): SdkLogger;
}

/** The library's own log: what goes wrong in it is of use when one looks closely, the rest is too much. */
export function quietLogger(logger: Logger): SdkLogger {
  const ignore = () => {};
  const note = (...parts: unknown[]) => logger.debug({ said: parts.map(String).join(" ") }, "of the Matrix library");
  const own: SdkLogger = { trace: ignore, debug: ignore, info: ignore, warn: note, error: note, getChild: () => own };
  return own;
}

import { HttpClient, PlatformError } from "@hermes/core";
import type { z } from "zod";
import type { IMessageOptions } from "./config.ts";
import { errors, isBusy, refusalOf } from "./errors.ts";
import { PLATFORM } from "./source.ts";
import {
  chatsAnswer,
  rowAnswer,
  rowsAnswer,
  type ServerInfo,
  serverInfo,
  type WireChat,
  type WireRow,
} from "./wire.ts";

export interface ApiCall {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: FormData;
  readonly signal?: AbortSignal | undefined;
  readonly withinMs?: number;
  readonly mayBeDone?: boolean;
}

/** What is told with a message. */
const WITH = ["chats", "chat", "chat.participants", "participants", "attachment", "attributedBody"];

/** The most messages or chats of an answer. */
const PAGE = 500;

/**
 * The REST API of a BlueBubbles server. It takes the password as a parameter of the address and nowhere else, so no
 * address leaves this file: errors and the log name the path at most.
 */
export class Api {
  readonly #url: string;
  readonly #password: string;
  readonly #http: HttpClient;

  constructor({ url, password }: Pick<IMessageOptions, "url" | "password">) {
    this.#url = url;
    this.#password = password;
    this.#http = new HttpClient({ platform: PLATFORM, url: `${url}/api/v1`, refusal: refusalOf });
  }

  /** The `data` of an answer. Throws a PlatformError. */
  async call({ path, query, ...call }: ApiCall): Promise<unknown> {
    const body = await this.#http.call({ ...call, path: `${path}?${this.#parameters(query)}` });
    return (Object(body) as { readonly data?: unknown }).data;
  }

  /** The same, as `schema` has it: an answer that is none of the server's is PLATFORM_UNAVAILABLE. */
  async read<T extends z.ZodType>(schema: T, call: ApiCall): Promise<z.output<T>> {
    const read = schema.safeParse(await this.call(call));
    if (read.success) return read.data;
    throw (call.mayBeDone ? errors.uncertain : errors.unavailable)(
      "what answered is not a BlueBubbles server's answer",
    );
  }

  info(signal?: AbortSignal): Promise<ServerInfo> {
    return this.read(serverInfo, { path: "server/info", signal });
  }

  /** A message with its chat and files. */
  message(guid: string, signal?: AbortSignal): Promise<WireRow> {
    return this.read(rowAnswer, { path: `message/${encodeURIComponent(guid)}`, query: { with: WITH.join() }, signal });
  }

  /** Messages by when they were written, and nothing else, oldest first: from `after` on, or the newest one. */
  async messages(
    asked: { readonly after: number; readonly chatGuid?: string } | "newest",
    signal?: AbortSignal,
  ): Promise<readonly WireRow[]> {
    const read = (json: object) => this.read(rowsAnswer, { method: "POST", path: "message/query", json, signal });
    if (asked === "newest") return read({ with: WITH, sort: "DESC", limit: 1 });
    return everyPage((page) => read({ ...asked, ...page, with: WITH, sort: "ASC" }));
  }

  /** All chats with their people. */
  chats(signal?: AbortSignal): Promise<readonly WireChat[]> {
    return everyPage((json) => this.read(chatsAnswer, { method: "POST", path: "chat/query", json, signal }));
  }

  /** A file as the server hands it out: pictures of Apple's own kinds as JPEG. */
  async download(guid: string, signal: AbortSignal): Promise<Response> {
    const address = `${this.#url}/api/v1/attachment/${encodeURIComponent(guid)}/download?${this.#parameters()}`;
    const response = await fetch(address, { signal, redirect: "error" }).catch((error: unknown) => {
      throw errors.lost(error);
    });
    if (response.ok) return response;
    await response.body?.cancel();
    throw errors.unavailable(`the file cannot be had (${response.status})`);
  }

  /**
   * Whether the server is sending something under this name now. It refuses a second send of that name, and looks at that
   * before it finds that here is nothing to send.
   */
  async isSending(chatGuid: string, tempGuid: string, signal: AbortSignal): Promise<boolean> {
    const body = new FormData();
    for (const [name, value] of Object.entries({ chatGuid, tempGuid, name: "none" })) body.set(name, value);
    try {
      await this.call({ method: "POST", path: "message/attachment", body, signal });
      return true;
    } catch (error) {
      if (error instanceof PlatformError && isBusy(error)) return true;
      if (error instanceof PlatformError && error.code === "PLATFORM_REJECTED") return false;
      throw error;
    }
  }

  /** The address of the server's Socket.IO, which holds the password. */
  socketUrl(): string {
    const { host, protocol } = new URL(this.#url);
    const query = new URLSearchParams({ EIO: "4", transport: "websocket", password: encodeURI(this.#password) });
    return `${protocol === "https:" ? "wss" : "ws"}://${host}/socket.io/?${query}`;
  }

  #parameters(query: Readonly<Record<string, string>> = {}): string {
    return new URLSearchParams({ ...query, password: this.#password }).toString();
  }
}

/** Reads page after page until one is not full. */
async function everyPage<T>(
  read: (page: { readonly offset: number; readonly limit: number }) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (;;) {
    const page = await read({ offset: all.length, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

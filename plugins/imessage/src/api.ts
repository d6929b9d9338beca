import { type HttpCall, HttpClient, PlatformError, type PluginDeps, RecentMap, z } from "@hermes/core";
import type { IMessageOptions } from "./config.ts";
import { errors, isBusy, refusalOf } from "./errors.ts";
import { PLATFORM } from "./source.ts";
import { chatAnswer, rowAnswer, type ServerInfo, serverInfo, type WireChat, type WireRow } from "./wire.ts";

type ApiParts = Partial<Pick<PluginDeps, "clock" | "logger">>;

/** What is told with a message. */
const WITH = ["chats", "chat", "chat.participants", "participants", "attachment", "attributedBody"];

/** The most messages or chats of an answer, and how many of them are read twice: some may go while pages are read. */
const PAGE = 500;
const AGAIN = 50;

/** Of so many of the newest messages one is understood. */
const NEWEST = 50;

const NO_ANSWER = "what answered is not a BlueBubbles server's answer";

/**
 * The REST API of a BlueBubbles server. It takes the password as a parameter of the address and nowhere else, so no
 * address leaves this file: errors and the log name the path at most.
 */
export class Api {
  readonly #url: string;
  readonly #password: string;
  readonly #http: HttpClient;
  readonly #parts: ApiParts;
  /** How far the Mac's clock was ahead of this machine's, in milliseconds, when the server was asked about itself. */
  aheadMs = 0;
  readonly #passedOver = new RecentMap<string, true>(1_000);

  constructor({ url, password }: Pick<IMessageOptions, "url" | "password">, parts: ApiParts = {}) {
    this.#url = url;
    this.#password = password;
    this.#parts = parts;
    this.#http = new HttpClient({ platform: PLATFORM, url: `${url}/api/v1`, refusal: refusalOf });
  }

  /** The `data` of an answer. Throws a PlatformError. */
  async call(call: HttpCall): Promise<unknown> {
    const body = await this.#http.call({ ...call, path: this.#withPassword(call.path) });
    return (Object(body) as { readonly data?: unknown }).data;
  }

  /** The same, as `schema` has it: an answer that is none of the server's is PLATFORM_UNAVAILABLE. */
  async read<T extends z.ZodType>(schema: T, call: HttpCall): Promise<z.output<T>> {
    const read = schema.safeParse(await this.call(call));
    if (read.success) return read.data;
    throw (call.mayBeDone ? errors.uncertain : errors.unavailable)(NO_ANSWER);
  }

  /** What the server says of itself. Compares its clock with this machine's on the way. */
  async info(signal?: AbortSignal): Promise<ServerInfo> {
    const { headers } = await this.#http.ask({ path: this.#withPassword("ping"), signal });
    const { now } = this.#parts.clock ?? Date;
    this.aheadMs = Date.parse(headers.get("date") ?? "") - now() || 0;
    return this.read(serverInfo, { path: "server/info", signal });
  }

  /** A message with its chat and files. Throws PLATFORM_REJECTED where it is in a form that Hermes does not know. */
  async message(guid: string, signal?: AbortSignal): Promise<WireRow> {
    const one = await this.call({ path: `message/${encodeURIComponent(guid)}?with=${WITH.join()}`, signal });
    const row = this.#understood(rowAnswer, one);
    if (row !== null) return row;
    throw (Object(one) as { readonly guid?: unknown }).guid === guid
      ? errors.rejected("it wrote a message in a form that Hermes does not know", "Update Hermes.")
      : errors.unavailable(NO_ANSWER);
  }

  /** Messages by when they were written, and nothing else, oldest first: from `after` on, or the newest one. */
  async messages(
    asked: { readonly after: number; readonly chatGuid?: string } | "newest",
    signal?: AbortSignal,
  ): Promise<readonly WireRow[]> {
    const read = (json: object) => this.#list(rowAnswer, { method: "POST", path: "message/query", json, signal });
    if (asked !== "newest") return everyPage((page) => read({ ...asked, ...page, with: WITH, sort: "ASC" }));
    const newest = await read({ with: WITH, sort: "DESC", limit: NEWEST });
    return newest.filter((row) => row !== null).slice(0, 1);
  }

  /** All chats with their people. */
  chats(signal?: AbortSignal): Promise<readonly WireChat[]> {
    return everyPage((json) => this.#list(chatAnswer, { method: "POST", path: "chat/query", json, signal }));
  }

  /** A list of the server's, with null for what of it is in another form: that must not stop all else. */
  async #list<T extends z.ZodType>(schema: T, call: HttpCall): Promise<readonly (z.output<T> | null)[]> {
    return (await this.read(z.array(z.unknown()), call)).map((one) => this.#understood(schema, one));
  }

  #understood<T extends z.ZodType>(schema: T, one: unknown): z.output<T> | null {
    const { data, error } = schema.safeParse(one);
    if (error === undefined) return data;
    const guid = String((Object(one) as { readonly guid?: unknown }).guid);
    if (!this.#passedOver.has(guid)) {
      const fields = error.issues.map(({ path }) => path.join("."));
      this.#parts.logger?.warn(
        { guid, fields },
        "a message or chat is in a form that Hermes does not know: it is passed over",
      );
    }
    this.#passedOver.set(guid, true);
    return null;
  }

  /** A file as the server hands it out: pictures of Apple's own kinds as JPEG. */
  download(guid: string, signal: AbortSignal): Promise<Response> {
    const path = this.#withPassword(`attachment/${encodeURIComponent(guid)}/download`);
    return fetch(`${this.#url}/api/v1/${path}`, { signal, redirect: "manual" }).catch((error: unknown) => {
      throw errors.lost(error);
    });
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

  #withPassword(path: string): string {
    return `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams({ password: this.#password })}`;
  }
}

/** Reads page after page until one is not full. What is deleted meanwhile moves the rest: pages overlap. */
async function everyPage<T extends { readonly guid: string }>(
  read: (page: { readonly offset: number; readonly limit: number }) => Promise<readonly (T | null)[]>,
): Promise<readonly T[]> {
  const all = new Map<string, T>();
  for (let offset = 0; ; offset += PAGE - AGAIN) {
    const page = await read({ offset, limit: PAGE });
    for (const one of page) if (one !== null) all.set(one.guid, one);
    if (page.length < PAGE) return [...all.values()];
  }
}

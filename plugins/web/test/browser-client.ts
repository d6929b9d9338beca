import type { WireEvent } from "../src/server/wire/thread.ts";

/** Speaks to the server as the page does: with a cookie, an origin, and JSON. */
export class BrowserClient {
  readonly baseUrl: string;
  cookie: string | null = null;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has("origin") && init.method !== undefined) headers.set("origin", this.baseUrl);
    // A pooled connection would outlive a restart of the server on the same port.
    headers.set("connection", "close");
    if (this.cookie !== null) headers.set("cookie", this.cookie);
    return fetch(this.baseUrl + path, { ...init, headers });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.request(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  /** Uploads a file. */
  upload(name: string, mediaType: string, content: Uint8Array): Promise<Response> {
    return this.request(`/api/files?${new URLSearchParams({ name, type: mediaType })}`, {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: new Uint8Array(content),
    });
  }

  async get<T>(path: string): Promise<T> {
    const response = await this.request(path);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Signs in with the code of a link that the terminal printed. */
  async signIn(url: string): Promise<Response> {
    const response = await this.post("/api/login", { code: new URL(url).hash.replace("#code=", "") });
    this.cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? this.cookie;
    return response;
  }

  /** `page`: by which it says what it shows. */
  async follow(lastEventId?: string, page?: string): Promise<EventReader> {
    const headers: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const response = await this.request(`/api/events${page === undefined ? "" : `?page=${page}`}`, { headers });
    if (!response.ok || !response.body) throw new Error(`GET /api/events: ${response.status}`);
    return new EventReader(response.body);
  }
}

export type ReadEvent = WireEvent & { readonly id: string | null };

/** Reads a stream of Server-Sent Events. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  }

  /** The next event; null at the end of the stream. */
  async next(): Promise<ReadEvent | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const event = decode(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 2);
        if (event) return event;
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#text += value;
    }
  }

  /** The next `count` events. */
  async take(count: number): Promise<ReadEvent[]> {
    const events: ReadEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (!event) throw new Error(`the stream ended after ${events.length} of ${count} events`);
      events.push(event);
    }
    return events;
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}

function decode(block: string): ReadEvent | null {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? null;
  const type = field("event");
  const data = field("data");
  if (type === null || data === null) return null;
  return { type, ...JSON.parse(data), id: field("id") } as ReadEvent;
}

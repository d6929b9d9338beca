import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../e2e/support/free-port.ts";
import type { HermesMachine } from "../../e2e/support/hermes-process.ts";
import type { ChatsAnswer, MessagesAnswer, WireMessage } from "../../plugins/web/src/server/wire/thread.ts";
import { BrowserClient } from "../../plugins/web/test/browser-client.ts";
import type { ShownMessage, SoakPlatform, SoakSpot, Trouble } from "./soak-platform.ts";

const HOME = "home";

/** How soon a page tries again to send what was not taken, in milliseconds. */
const AGAIN_MS = 400;

/** As many threads of handoffs are written in at the same time, the latest. */
const MOST_FOLLOWED = 3;

/**
 * The page. Its server is the gateway's own, so what is independent here is the browser: it keeps what its person wrote
 * until the server has taken it, and what it was shown when the server is gone.
 */
export class WebPlatform implements SoakPlatform {
  readonly name = "web";
  readonly plugin: SoakPlatform["plugin"];
  readonly knowsFate = true;
  readonly renewal = "/new";
  readonly #browser: BrowserClient;
  /** By the thread, then by the message's id. */
  readonly #seen = new Map<string, Map<string, WireMessage>>();
  readonly #closing = new AbortController();
  #followed: SoakSpot[] = [];

  private constructor(port: number) {
    this.#browser = new BrowserClient(`http://127.0.0.1:${port}`);
    this.plugin = ["@hermes/plugin-web", { port, limits: { messagesPerMinute: 100_000 } }];
  }

  static async open(): Promise<WebPlatform> {
    return new WebPlatform(await freePort());
  }

  async begin(machine: HermesMachine): Promise<void> {
    const { stdout, stderr } = await machine.run("web", "open");
    const [link] = /http\S+/.exec(stdout) ?? [];
    if (link === undefined) throw new Error(`hermes web open printed no link: ${stdout}${stderr}`);
    const response = await this.#browser.signIn(link);
    if (!response.ok) throw new Error(`signing in failed: ${response.status} ${await response.text()}`);
  }

  places(): readonly SoakSpot[] {
    return [{ chatId: HOME }, ...this.#followed];
  }

  follow(place: SoakSpot): void {
    if (this.places().some(({ threadId }) => threadId === place.threadId)) return;
    this.#followed = [...this.#followed, place].slice(-MOST_FOLLOWED);
  }

  async write({ threadId = HOME }: SoakSpot, text: string): Promise<string> {
    const id = `page-${randomUUID()}`;
    const { signal } = this.#closing;
    for (;;) {
      signal.throwIfAborted();
      const response = await this.#browser.post(`/api/threads/${threadId}/messages`, { id, text }).catch(() => null);
      if (response?.ok) return id;
      if (response?.status === 404 || response?.status === 410) {
        this.#followed = this.#followed.filter((place) => place.threadId !== threadId);
        throw new Error(`the thread is gone: ${response.status}`);
      }
      await pause(AGAIN_MS, undefined, { signal });
    }
  }

  async shown(): Promise<readonly ShownMessage[]> {
    await this.#look().catch(() => {});
    return [...this.#seen].flatMap(([place, messages]) =>
      [...messages.values()]
        .sort((a, b) => a.seq - b.seq)
        .map(({ id, author, text }) => ({ place, id, isBot: author !== "user", text })),
    );
  }

  readonly troubles: readonly Trouble[] = [
    {
      name: "the browser sends the same message twice at once",
      play: () => {
        // Beside the run's own messages: this one has no token, and is no question.
        const body = { id: `twice-${randomUUID()}`, text: "/whoami" };
        for (let i = 0; i < 2; i++) void this.#browser.post(`/api/threads/${HOME}/messages`, body).catch(() => {});
        return undefined;
      },
    },
  ];

  forget(): void {}

  heal(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
  }

  /** Reads what is new: the latest messages of each thread, and older ones until one that is known. */
  async #look(): Promise<void> {
    const { home, threads } = await this.#browser.get<ChatsAnswer>("/api/chats");
    for (const { id } of [home, ...threads]) {
      const known = this.#seen.get(id) ?? new Map<string, WireMessage>();
      this.#seen.set(id, known);
      let before = "";
      for (;;) {
        const page = await this.#browser.get<MessagesAnswer>(`/api/threads/${id}/messages${before}`);
        const first = page.messages[0];
        const isNew = first !== undefined && !known.has(first.id);
        for (const message of page.messages) known.set(message.id, message);
        if (!page.hasMore || !isNew) break;
        before = `?before=${first.seq}`;
      }
    }
  }
}

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { systemClock } from "@hermes/core";
import { openLink } from "../../plugins/web/src/cli.ts";
import type {
  ChatsAnswer,
  MessagesAnswer,
  PostAnswer,
  WireGrowing,
  WireMessage,
} from "../../plugins/web/src/server/wire/thread.ts";
import { BrowserClient } from "../../plugins/web/test/browser-client.ts";
import type { HermesMachine } from "./hermes-process.ts";

const PARTS = { clock: systemClock, ids: { next: (prefix: string) => `${prefix}_${randomUUID()}` }, print() {} };

/** The page's side of the web platform, signed in: what a browser asks of the server. */
export class Page {
  static #sent = 0;
  readonly #client: BrowserClient;

  constructor(client: BrowserClient) {
    this.#client = client;
  }

  chats(): Promise<ChatsAnswer> {
    return this.#client.get("/api/chats");
  }

  messages(threadId: string): Promise<MessagesAnswer> {
    return this.#client.get(`/api/threads/${threadId}/messages`);
  }

  /** Writes a message in a thread; returns it as it stands there. With the `id` of before, it is the same message. */
  async write(threadId: string, text: string, id?: string): Promise<WireMessage> {
    const response = await this.post(threadId, text, id);
    if (!response.ok) throw new Error(`the page could not write: ${response.status} ${await response.text()}`);
    return ((await response.json()) as PostAnswer).message;
  }

  /** Writes a message, and leaves it to the caller what the server says to it. */
  post(threadId: string, text: string, id = `journey-${process.pid}-${++Page.#sent}`): Promise<Response> {
    return this.#client.post(`/api/threads/${threadId}/messages`, { id, text });
  }

  /** Looks at a thread, and waits until `isSeen` is true of what is said elsewhere in its session. */
  async seesGrowing(threadId: string, isSeen: (said: WireGrowing) => boolean): Promise<WireGrowing> {
    const events = await this.#client.follow(undefined, "journey");
    const viewing = await this.#client.post("/api/viewing", { page: "journey", threadId });
    if (!viewing.ok) throw new Error(`the page could not say what it shows: ${viewing.status}`);
    for (;;) {
      const event = await events.next();
      if (event === null) throw new Error("the stream of the page has ended");
      if (event.type !== "growing" || event.said === null || !isSeen(event.said)) continue;
      await events.close();
      return event.said;
    }
  }

  /** Presses a choice. */
  async press(threadId: string, messageId: string, choiceId: string): Promise<void> {
    const response = await this.#client.post(`/api/threads/${threadId}/press`, { messageId, choiceId });
    if (!response.ok) throw new Error(`the press was refused: ${response.status} ${await response.text()}`);
  }

  /** Writes a command, and returns what is said to it. */
  async command(machine: HermesMachine, threadId: string, line: string): Promise<string> {
    const { seq } = await this.write(threadId, line);
    return (await this.messageAfter(machine, threadId, seq, "notice")).text;
  }

  /** Asks something, and returns the answer once it is whole. */
  async ask(machine: HermesMachine, threadId: string, text: string, whole: RegExp): Promise<string> {
    const { seq } = await this.write(threadId, text);
    return (await this.messageAfter(machine, threadId, seq, "answer", whole)).text;
  }

  /** Waits for an answer in a thread behind the message `afterSeq`. */
  answerAfter(machine: HermesMachine, threadId: string, afterSeq: number): Promise<WireMessage> {
    return this.messageAfter(machine, threadId, afterSeq, "answer");
  }

  /** Waits for a message of a kind, and of a text where that is given, behind the message `afterSeq`. */
  async messageAfter(
    machine: HermesMachine,
    threadId: string,
    afterSeq: number,
    kind: WireMessage["kind"],
    text = /^/,
  ): Promise<WireMessage> {
    let found: WireMessage | undefined;
    await machine.until(async () => {
      const { messages } = await this.messages(threadId);
      found = messages.find((message) => message.seq > afterSeq && message.kind === kind && text.test(message.text));
      return found !== undefined;
    }, `a message of the kind ${kind} on the page, fitting ${text},`);
    if (!found) throw new Error("unreachable");
    return found;
  }
}

/** Signs in with a link that the terminal printed; with a fresh one, as `hermes web open` makes it, when there is none. */
export async function openPage(machine: HermesMachine, link?: string): Promise<Page> {
  // Made here: a process for each would take longer than all that most tests do with the page.
  const url = link ?? (await openLink("/", { ...PARTS, folder: join(machine.home, "plugins/web") })).url;
  const client = new BrowserClient(new URL(url).origin);
  const response = await client.signIn(url);
  if (!response.ok) throw new Error(`signing in failed: ${response.status} ${await response.text()}`);
  return new Page(client);
}

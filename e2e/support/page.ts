import type { ChatsAnswer, MessagesAnswer, WireMessage } from "../../plugins/web/src/server/wire.ts";
import { BrowserClient } from "../../plugins/web/src/testing/browser-client.ts";
import type { HermesMachine } from "./hermes-process.ts";

/** The page's side of the web platform, signed in: what a browser asks of the server. */
export class Page {
  readonly #client: BrowserClient;
  #sent = 0;

  constructor(client: BrowserClient) {
    this.#client = client;
  }

  chats(): Promise<ChatsAnswer> {
    return this.#client.get("/api/chats");
  }

  messages(threadId: string): Promise<MessagesAnswer> {
    return this.#client.get(`/api/threads/${threadId}/messages`);
  }

  /** Writes a message in a thread. */
  async write(threadId: string, text: string): Promise<void> {
    const id = `journey-${process.pid}-${++this.#sent}`;
    const response = await this.#client.post(`/api/threads/${threadId}/messages`, { id, text });
    if (!response.ok) throw new Error(`the page could not write: ${response.status} ${await response.text()}`);
  }

  /** Waits for an answer in a thread behind the message `afterSeq`. */
  async answerAfter(machine: HermesMachine, threadId: string, afterSeq: number): Promise<WireMessage> {
    let found: WireMessage | undefined;
    await machine.until(async () => {
      const { messages } = await this.messages(threadId);
      found = messages.find(({ seq, kind }) => seq > afterSeq && kind === "answer");
      return found !== undefined;
    }, "an answer on the page");
    if (!found) throw new Error("unreachable");
    return found;
  }
}

/** Signs in with a link that the terminal printed; with a fresh one of `hermes web open` when there is none. */
export async function openPage(machine: HermesMachine, link?: string): Promise<Page> {
  const url = link ?? /http\S+/.exec((await machine.run("web", "open")).stdout)?.[0];
  if (url === undefined) throw new Error("hermes web open printed no link");
  const client = new BrowserClient(new URL(url).origin);
  const response = await client.signIn(url);
  if (!response.ok) throw new Error(`signing in failed: ${response.status} ${await response.text()}`);
  return new Page(client);
}

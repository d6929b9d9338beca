import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type IdSource, systemClock } from "@hermes/core";
import {
  CannotEmulate,
  checkPlayable,
  createRequestLog,
  type EmulatedChat,
  type EmulatedFile,
  type EmulatedInbound,
  type EmulatedMessage,
  type EmulatedPress,
  type EmulatedThread,
  type Emulator,
  type EmulatorFailure,
  playable,
} from "@hermes/emulator";
import { openLink } from "../src/cli.ts";
import type { WireFile, WireMessage } from "../src/server/wire/thread.ts";
import { HOME_CHAT_ID, OWNER, PLATFORM } from "../src/source.ts";
import { openWebFile, type WebFile } from "../src/storage/web-file.ts";
import { BrowserClient } from "./browser-client.ts";
import { plainText } from "./plain-text.ts";

/** How often a page that lost its server looks for it again, in milliseconds. */
const RETRY_MS = 20;

const clock = { ...systemClock, setTimer: () => ({ [Symbol.dispose]() {} }) };
const ids: IdSource = { next: (prefix) => `${prefix}_${randomUUID()}` };

/**
 * The web platform as the conformance kit sees one. There is nothing to imitate: the platform is the gateway's own
 * server and file. A person is a real browser's client, which is signed in and follows the events.
 */
export class WebEmulator implements Emulator {
  readonly platform = PLATFORM;
  readonly options = { port: 0 };
  readonly chats: readonly EmulatedChat[] = [
    { id: HOME_CHAT_ID, name: "Home", kind: "dm", hasThreads: true, label: "page" },
  ];
  readonly #folder: string;
  readonly #file: WebFile;
  readonly #log = createRequestLog();
  readonly #closing = new AbortController();
  readonly #following: Promise<void>;
  #browser: BrowserClient | null = null;
  #isFollowing = false;
  #redeliveries = 0;
  /** Markdown as it is read. */
  readonly #read = new Map<string, string>();

  /** `home`: Hermes' home. The page keeps a file for each account there. */
  constructor(home: string, account?: string) {
    this.#folder = join(
      home,
      "plugins",
      account === undefined ? PLATFORM : `${PLATFORM}@${encodeURIComponent(account)}`,
    );
    this.#file = openWebFile(this.#folder, { now: Date.now(), busyMs: 2_000 });
    this.#following = this.#follow();
  }

  get url(): string {
    const { baseUrl } = this.#file.meta;
    if (baseUrl === null) throw new Error("the page has not been served yet");
    return baseUrl;
  }

  readonly people = [{ id: OWNER.id, name: "The operator" }];

  get log() {
    return this.#log.entries;
  }

  get isConnected(): boolean {
    return this.#isFollowing;
  }

  /** A thread that a person made a home channel of. */
  keepThread(id: string): void {
    this.#file.threads.open({ id, name: "Kept", mark: `mark of ${id}`, at: Date.now() });
  }

  messages(chatId: string, threadId?: string): EmulatedMessage[] {
    checkChat(chatId);
    return this.#file.messages
      .page(threadId ?? HOME_CHAT_ID, Number.MAX_SAFE_INTEGER, 10_000)
      .map((message) => this.#toEmulated(message));
  }

  threads(chatId: string): EmulatedThread[] {
    checkChat(chatId);
    const threads = this.#file.threads.list().filter(({ id }) => id !== HOME_CHAT_ID);
    return threads.map(({ id, name }) => ({ id, name, isVisible: true }));
  }

  async receive(inbound: EmulatedInbound): Promise<{ readonly messageId: string }> {
    const {
      chatId,
      threadId = HOME_CHAT_ID,
      text,
      isBot,
      isOwn,
      editOf,
      files = [],
      forwarded,
      replyTo,
      userId = OWNER.id,
    } = inbound;
    checkChat(chatId);
    if (isBot || isOwn || userId !== OWNER.id) throw new CannotEmulate("the page has one person, its operator");
    if (editOf !== undefined) throw new CannotEmulate("what was written on the page cannot be edited");
    if (forwarded) throw new CannotEmulate("nothing is passed on to the page");
    const messageId = randomUUID();
    const posts = this.#redeliveries > 0 ? 2 : 1;
    if (posts > 1) this.#redeliveries--;
    const browser = await this.#signedIn();
    const uploaded = [];
    for (const { name, mediaType, content } of files) {
      const answer = await browser.upload(name, mediaType, Buffer.from(content));
      if (answer.status === 415) throw new CannotEmulate("the page takes pictures, PDFs and texts only");
      if (!answer.ok) throw new Error(`the page could not upload: ${answer.status} ${await answer.text()}`);
      uploaded.push(await answer.json());
    }
    for (let post = 0; post < posts; post++) {
      const body = { id: messageId, text, replyTo, files: uploaded };
      const response = await browser.post(`/api/threads/${threadId}/messages`, body);
      if (!response.ok) throw new Error(`the page could not write: ${response.status} ${await response.text()}`);
    }
    return { messageId };
  }

  async press({ chatId, threadId = HOME_CHAT_ID, messageId, label, userId = OWNER.id }: EmulatedPress): Promise<void> {
    checkChat(chatId);
    if (userId !== OWNER.id) throw new CannotEmulate("the page has one person, its operator");
    const choice = this.#file.messages.get(messageId)?.choices.find((one) => one.label === label);
    if (!choice) throw new Error(`there is no button ${JSON.stringify(label)} below ${messageId}`);
    const browser = await this.#signedIn();
    const response = await browser.post(`/api/threads/${threadId}/press`, { messageId, choiceId: choice.id });
    if (!response.ok) throw new Error(`the page could not press: ${response.status} ${await response.text()}`);
  }

  /** The gateway serves the page itself: nothing else between the two can fail. */
  readonly failures = playable(["redeliver"], ["deliver"]);

  fail(failure: EmulatorFailure): void {
    checkPlayable(failure, this.failures);
    this.#redeliveries += failure.times ?? 1;
  }

  heal(): void {
    this.#redeliveries = 0;
  }

  removeThread(chatId: string, threadId: string): void {
    checkChat(chatId);
    this.#file.threads.delete(threadId);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#following;
    this.#file[Symbol.dispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #toEmulated({ id, kind, text, editedAt, choices, files }: WireMessage): EmulatedMessage {
    const author = kind === "user" ? OWNER.id : "bot";
    // It is asked for again and again while it is long.
    const read = this.#read.get(text) ?? plainText(text);
    this.#read.set(text, read);
    const labels = choices.map(({ label }) => label);
    const sent = author === "bot" ? files.map((file) => this.#download(file)) : [];
    const shown = { ...(labels.length > 0 && { choices: labels }), ...(sent.length > 0 && { files: sent }) };
    const fileNames = files.map(({ name }) => name);
    return { id, author, text: read, raw: text, isEdited: editedAt !== null, fileNames, ...shown };
  }

  /** As a page gets it that has loaded it before: what kits look at again and again must not wait for a request. */
  #download({ id, name, mediaType, picture, path }: WireFile): EmulatedFile {
    const content = path === null ? Buffer.alloc(0) : readFileSync(join(this.#folder, "files", id));
    return { name, mediaType, content, isPicture: picture !== null };
  }

  async #signedIn(): Promise<BrowserClient> {
    if (this.#browser?.baseUrl === this.url) return this.#browser;
    const browser = new BrowserClient(this.url);
    const { url } = await openLink("/", { folder: this.#folder, clock, ids, print() {} });
    const response = await browser.signIn(url);
    if (!response.ok) throw new Error(`signing in failed: ${response.status}`);
    this.#browser = browser;
    return browser;
  }

  /** Follows the events as an open page does, whenever there is a server. */
  async #follow(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#followOnce().catch(() => {});
      this.#isFollowing = false;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  async #followOnce(): Promise<void> {
    if (this.#file.meta.baseUrl === null) return;
    const events = await (await this.#signedIn()).follow();
    const close = () => void events.close();
    this.#closing.signal.addEventListener("abort", close, { once: true });
    this.#isFollowing = true;
    for (let event = await events.next(); event !== null; event = await events.next()) {
      this.#log.add(event.type, event, 200);
    }
    this.#closing.signal.removeEventListener("abort", close);
  }
}

function checkChat(chatId: string): void {
  if (chatId !== HOME_CHAT_ID) throw new Error(`the page has no chat ${chatId}`);
}

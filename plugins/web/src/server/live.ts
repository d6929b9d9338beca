import type { Clock } from "@hermes/core";
import type { WebFile } from "../storage/web-file.ts";
import type { WireEvent, WireTurn } from "./wire/thread.ts";

/** The most missed changes that are sent; a page that missed more reloads everything. */
const MOST_MISSED = 1_000;

/** The interval of comment lines that keep proxies from closing an idle stream, in milliseconds. */
const HEARTBEAT_MS = 15_000;

/** The most text that waits for a page which reads nothing, in UTF-16 units; its stream ends, and the page asks again. */
const MOST_UNREAD = 1_000_000;

type StoredEvent = Exclude<
  WireEvent,
  { readonly type: "typing" | "growing" | "calls" | "readers" | "sessions" | "session" | "overview" | "reset" }
>;

/** The event id after a change of the file: `<epoch>-<change>`. */
export function eventIdOf(file: WebFile, change: number): string {
  return `${file.meta.epoch}-${change}`;
}

/** The first `limit` changes after `change`, in order. */
function eventsAfter(file: WebFile, change: number, limit: number): { change: number; event: StoredEvent }[] {
  const threads = file.threads
    .changedAfter(change, limit)
    .map((changed): { change: number; event: StoredEvent } =>
      "goneId" in changed
        ? { change: changed.change, event: { type: "thread-gone", threadId: changed.goneId } }
        : { change: changed.change, event: { type: "thread", thread: changed.thread } },
    );
  const messages = file.messages.changedAfter(change, limit).map((message) => ({
    change: message.change,
    event: { type: "message", message } as const,
  }));
  return [...threads, ...messages].sort((a, b) => a.change - b.change).slice(0, limit);
}

export interface FollowingPage {
  /** By which the page says which thread it shows; empty where it does not. */
  readonly id: string;
  /** Asked before all that is written; the stream ends when it returns false. */
  isWelcome(): boolean;
  onEnd(): void;
}

/** The event streams of all open pages. */
export class LiveUpdates {
  readonly #file: WebFile;
  readonly #clock: Clock;
  readonly #streams = new Set<LiveStream>();
  /** Who else reads a thread, as it was told last: shown at once to a page that opens it, until it is told again. */
  readonly #readers = new Map<string, readonly string[]>();
  /** The turn that runs in a thread, as it was told last. */
  readonly #running = new Map<string, string>();

  constructor(file: WebFile, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  get count(): number {
    return this.#streams.size;
  }

  /** Opens a stream of the events after `lastEventId`. */
  open(lastEventId: string | undefined, page: FollowingPage): ReadableStream<Uint8Array> {
    const stream = new LiveStream(this.#file, this.#clock, lastEventId, {
      id: page.id,
      isWelcome: page.isWelcome,
      onEnd: () => {
        this.#streams.delete(stream);
        page.onEnd();
      },
    });
    this.#streams.add(stream);
    return stream.readable;
  }

  /** The threads that the open pages show. */
  get watched(): readonly string[] {
    const shown = [...this.#streams].map(({ threadId }) => threadId).filter((id) => id !== null);
    return [...new Set(shown)];
  }

  /** A page shows a thread now, or none. */
  show(pageId: string, threadId: string | null): void {
    const readers = threadId === null ? undefined : this.#readers.get(threadId);
    for (const stream of this.#streams) {
      if (stream.pageId !== pageId) continue;
      stream.threadId = threadId;
      if (threadId !== null && readers) stream.tell({ type: "readers", threadId, readers });
    }
  }

  /** Tells the pages that show a thread who else reads it. */
  tellReaders(threadId: string, readers: readonly string[]): void {
    this.#readers.set(threadId, readers);
    this.tellShown(threadId, { type: "readers", threadId, readers });
  }

  /** Tells the pages that show a thread what is called in its turn; null where nothing is to be seen any more. */
  tellCalls(threadId: string, turn: WireTurn | null): void {
    if (turn?.isOpen) this.#running.set(threadId, turn.turnId);
    else this.#running.delete(threadId);
    this.tellShown(threadId, { type: "calls", threadId, turn });
  }

  /**
   * Tells a page what is called in the turn that runs in the thread it shows: what was told before it came is not told
   * again. `look` finds what may be seen of a turn now.
   */
  async catchUp(
    pageId: string,
    threadId: string,
    look: (turnId: string) => Promise<WireTurn | undefined>,
  ): Promise<void> {
    const turnId = this.#running.get(threadId);
    const turn = turnId === undefined ? undefined : await look(turnId);
    // It may have ended meanwhile.
    if (turn === undefined || this.#running.get(threadId) !== turnId) return;
    for (const stream of this.#streams) {
      if (stream.pageId === pageId && stream.threadId === threadId) stream.tell({ type: "calls", threadId, turn });
    }
  }

  /** Sends an event to the pages that show a thread now; it is not stored. */
  tellShown(threadId: string, event: WireEvent): void {
    for (const stream of this.#streams) if (stream.threadId === threadId) stream.tell(event);
  }

  /** Sends an event to the pages open now; it is not stored. */
  tell(event: WireEvent): void {
    for (const stream of this.#streams) stream.tell(event);
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
  }
}

/** One page's stream. It reads the file only when the page can take more, so a slow page skips states. */
class LiveStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly pageId: string;
  /** The thread that its page shows. */
  threadId: string | null = null;
  readonly #file: WebFile;
  readonly #clock: Clock;
  readonly #page: FollowingPage;
  readonly #told: string[];
  #unread = 0;
  readonly #listening: Disposable;
  #change: number;
  #isEnded = false;
  #wake = () => {};

  constructor(file: WebFile, clock: Clock, lastEventId: string | undefined, page: FollowingPage) {
    this.#file = file;
    this.#clock = clock;
    this.#page = page;
    this.pageId = page.id;
    const resumed = resumePoint(file, lastEventId);
    this.#change = resumed ?? file.changes.latest();
    this.#told = ["retry: 1000\n\n"];
    if (resumed === null) this.tell({ type: "reset", eventId: eventIdOf(file, this.#change) });
    this.#listening = file.changes.listen(() => this.#wake());
    const encoder = new TextEncoder();
    this.readable = new ReadableStream({
      pull: async (controller) => {
        const text = await this.#next();
        if (text === null) controller.close();
        else controller.enqueue(encoder.encode(text));
      },
      cancel: () => this.end(),
    });
  }

  tell(event: WireEvent): void {
    const text = encodeEvent(event, null);
    this.#unread += text.length;
    if (this.#unread > MOST_UNREAD) {
      this.end();
    } else {
      this.#told.push(text);
      this.#wake();
    }
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#told.length = 0;
    this.#listening[Symbol.dispose]();
    this.#page.onEnd();
    this.#wake();
  }

  /** The next text to write; null at the end. Asked right before each: whoever was signed out is told nothing more. */
  async #next(): Promise<string | null> {
    const text = await this.#nextText();
    if (text !== null && this.#page.isWelcome()) return text;
    this.end();
    return null;
  }

  async #nextText(): Promise<string | null> {
    while (!this.#isEnded) {
      const told = this.#told.splice(0).join("");
      this.#unread = 0;
      if (told) return told;
      const stored = eventsAfter(this.#file, this.#change, 100);
      const last = stored.at(-1);
      if (last) {
        this.#change = last.change;
        return stored.map(({ change, event }) => encodeEvent(event, eventIdOf(this.#file, change))).join("");
      }
      if (await this.#silence()) return ": still here\n\n";
    }
    return null;
  }

  /** Waits for something to write; true if nothing came for the length of a heartbeat. */
  #silence(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(HEARTBEAT_MS, () => resolve(true));
      this.#wake = () => {
        timer[Symbol.dispose]();
        resolve(false);
      };
    });
  }
}

/** The change to resume from; null if the page has to reload everything. */
function resumePoint(file: WebFile, lastEventId: string | undefined): number | null {
  if (lastEventId === undefined) return file.changes.latest();
  const [epoch, number] = lastEventId.split("-");
  const change = Number(number);
  if (epoch !== file.meta.epoch || !Number.isSafeInteger(change) || change > file.changes.latest()) return null;
  return file.changes.countAfter(change) > MOST_MISSED ? null : change;
}

function encodeEvent(event: WireEvent, id: string | null): string {
  const { type, ...data } = event;
  return `${id === null ? "" : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

import { inject, Lifecycle, scoped } from "tsyringe";
import { asHermesError } from "../../base/errors.ts";
import { clip } from "../../command/words.ts";
import { codeIn } from "../../model/code.ts";
import type { SessionId } from "../../model/session.ts";
import type { TurnCause } from "../../model/turn.ts";
import type { LineId, TypedLine } from "../../model/typed-line.ts";
import type { TypedLines } from "../../store/message-stores.ts";
import type { Output } from "../../terminal/output.ts";
import type { TerminalHost } from "../context.ts";
import { ChatSession } from "./chat-session.ts";
import { LEASE_MS, LineLease } from "./line-lease.ts";
import { QueueView, type WaitingLine } from "./queue-view.ts";
import { Running } from "./running.ts";
import { HOST, OUTPUT } from "./tokens.ts";

/** A line that was typed, and is not done yet. */
export interface AheadLine {
  readonly id: LineId;
  readonly text: string;
}

/** The pause before a busy store is retried, in milliseconds. */
const ASK_AGAIN_MS = 1_000;

interface Entry extends AheadLine, WaitingLine {
  /** Whether the store took it; null where it was not asked yet. */
  kept: Promise<boolean> | null;
  isKept: boolean;
  /** It waits until `letGo`, and those that are typed later do not wait for it. */
  isHeld: boolean;
}

/**
 * What is typed in a terminal while something runs there, in order. Each line is in the store, too, until what it asks for
 * is done: the terminal may end at any moment.
 */
@scoped(Lifecycle.ContainerScoped)
export class TypedAhead {
  /** The line that is worked on. */
  line: AheadLine | null = null;
  /** In the background: what fails is tried again, and no wait is told. */
  readonly #lines: TypedLines;
  #queue: Entry[] = [];
  /** What was taken out for the turn that runs, and is not in it yet. */
  #given: Entry[] = [];
  /** The same one, while the store may have it. */
  #current: Entry | null = null;
  /** Commands that are done, but only in this terminal: were they taken away, a crash would forget what they led to. */
  #spent: readonly LineId[] = [];
  /** Where the store has them. */
  #sessionId: SessionId | null = null;
  /** What another terminal has taken over while this one slept is its own: its turns say so. */
  readonly #lease: LineLease;
  #askingAgain: Disposable | null = null;

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: TerminalHost,
    @inject(ChatSession) readonly session: ChatSession,
    @inject(Running) readonly running: Running,
    @inject(QueueView) readonly view: QueueView,
  ) {
    this.#lines = host.promptStore.typedLines;
    this.#lease = new LineLease(host);
  }

  push(text: string, { isNow = false }: { readonly isNow?: boolean } = {}): void {
    if (text.trim() === "") return;
    this.#queue.push(this.#entry(text, isNow));
    this.keep();
    this.#changed();
  }

  #entry(text: string, isNow = false): Entry {
    // A line with a code is for this terminal only.
    const kept = codeIn(text) === null ? null : Promise.resolve(false);
    return { id: this.host.ids.next("lin") as LineId, text, kept, isKept: false, isHeld: false, isNow };
  }

  /** Takes out what was typed for the turn that runs, once the store has it; until `tookIn` it may come back. */
  takeNow(): readonly AheadLine[] {
    const taken = this.#queue.filter(({ isNow, isKept }) => isNow && isKept);
    if (taken.length === 0) return [];
    this.#queue = this.#queue.filter((entry) => !taken.includes(entry));
    this.#given.push(...taken);
    this.#changed();
    return taken;
  }

  /** The turn has what was taken out for it. */
  tookIn(): void {
    this.#given = [];
  }

  /** The turn is over: what it did not take in waits like any other line. */
  turnEnded(): void {
    if (this.#given.length === 0) return;
    this.#queue.unshift(...this.#given.splice(0).map((entry) => ({ ...entry, isNow: false })));
    this.#changed();
  }

  /** Hands lines to the store that it does not have yet. To be called when the session is known, too. */
  keep(): void {
    const { holder, logger, clock } = this.host;
    const sessionId = this.session.current;
    const entries = this.#queue.filter(({ kept }) => kept === null);
    if (sessionId === null || entries.length === 0) return;
    this.#sessionId = sessionId;
    const asTyped = entries.map(({ id, text }) => ({ id, text }));
    const kept = this.#lines.keep(sessionId, asTyped, holder, LEASE_MS).then(
      () => {
        this.#lease.keep();
        for (const entry of entries) entry.isKept = true;
        this.#changed();
        for (const { text } of entries) this.#noteKept(text);
        return true;
      },
      (error: unknown) => {
        logger.warn({ error }, "what was typed ahead could not be kept");
        // Of a session that is gone they are kept with the one that follows it.
        if (asHermesError(error).code === "STORE_BUSY") {
          for (const entry of entries) entry.kept = null;
          this.#askingAgain?.[Symbol.dispose]();
          this.#askingAgain = clock.setTimer(ASK_AGAIN_MS, () => this.keep());
        }
        return false;
      },
    );
    for (const entry of entries) entry.kept = kept;
  }

  /** Where the queue is drawn, it stands there. */
  #noteKept(text: string): void {
    const { output, running } = this;
    const { io } = output;
    if (io.isInteractive && !io.draws && running.what !== null) output.note(`· waits its turn: ${clip(text, 80)}`);
  }

  /** The next line, to be worked on until `done`. */
  shift(): AheadLine | null {
    const at = this.#queue.findIndex(({ isHeld }) => !isHeld);
    this.#current = at < 0 ? null : (this.#queue.splice(at, 1)[0] ?? null);
    this.line = this.#current;
    this.#changed();
    return this.line;
  }

  /**
   * Takes the line that was typed last out again, to be edited; null where none waits. In the store it goes in one step:
   * where another terminal has taken it over by then, it is that one's to send, and this resolves to null.
   */
  takeBack(): Promise<string | null> | null {
    const entry = this.#queue.pop();
    if (entry === undefined) return null;
    this.#changed();
    return this.#takeOut(entry);
  }

  async #takeOut(entry: Entry): Promise<string | null> {
    const { holder, logger } = this.host;
    try {
      const isKept = (await entry.kept) ?? false;
      if (!isKept || (await this.#lines.remove([entry.id], holder)) > 0) return entry.text;
      this.output.note("Another terminal has taken this message over; it is sent from there.");
    } catch (error) {
      logger.warn({ error }, "a line that was typed ahead could not be taken back");
      this.#queue.push(entry);
      this.#changed();
    }
    return null;
  }

  /** Keeps back what waits by now: it was typed before a question that is open still. */
  holdBack(): void {
    for (const entry of this.#queue) entry.isHeld = true;
  }

  letGo(): void {
    for (const entry of this.#queue) entry.isHeld = false;
  }

  /** A line that was waited for, to be worked on until `done`. The store has it only when its turn has to wait. */
  begin(text: string): void {
    this.#current = this.#entry(text);
    this.line = this.#current;
  }

  /** What the store has of the line that is worked on and of the commands that led to it, and what it may keep. */
  async cause(): Promise<Extract<TurnCause, { readonly kind: "terminal" }>> {
    const lines = await this.#kept();
    return { kind: "terminal", lines, keepAs: lines.length > this.#spent.length ? undefined : this.#current?.id };
  }

  async #kept(): Promise<readonly LineId[]> {
    const isKept = (await this.#current?.kept) ?? false;
    return isKept && this.#current ? [...this.#spent, this.#current.id] : this.#spent;
  }

  /** The turn waits for another one: the store has its message from now on. */
  waits(sessionId: SessionId): void {
    this.#sessionId = sessionId;
    if (this.#current) this.#current.kept = Promise.resolve(true);
    this.#lease.keep();
  }

  /** The turn has begun in a session: the store has nothing of the line any more, and the others with that session. */
  sent(sessionId: SessionId): void {
    this.#sessionId = sessionId;
    this.#current = null;
    this.#spent = [];
    if (this.#queue.length === 0) this.#lease[Symbol.dispose]();
  }

  /**
   * The line that was worked on is done. `leadsOn`: it only changed where the terminal is; it stays in the store until
   * what stands behind it is sent.
   */
  async done({ leadsOn }: { readonly leadsOn: boolean }): Promise<void> {
    const ids = await this.#kept();
    this.#current = null;
    // What led on stays with it, so that nobody goes on from half of the way.
    this.#spent = (leadsOn || this.#spent.length > 0) && this.#queue.length > 0 ? ids : [];
    if (this.#spent.length === 0 && ids.length > 0) await this.#lines.remove(ids, this.host.holder);
    if (this.#queue.length === 0) this.#lease[Symbol.dispose]();
  }

  /** The session is gone, and what the store had of the lines with it. */
  lose(): void {
    this.#spent = [];
    for (const entry of this.#current ? [this.#current, ...this.#queue] : this.#queue) {
      entry.kept = codeIn(entry.text) === null ? null : Promise.resolve(false);
      entry.isKept = false;
    }
  }

  /** Puts lines of a terminal that is gone in front; they were taken over. */
  adopt(lines: readonly TypedLine[]): void {
    this.#sessionId = lines[0]?.sessionId ?? this.#sessionId;
    this.#queue.unshift(
      ...lines.map(({ id, text }) => ({
        id,
        text,
        kept: Promise.resolve(true),
        isKept: true,
        isHeld: false,
        isNow: false,
      })),
    );
    this.#changed();
    if (lines.length > 0) this.#lease.keep();
  }

  /** Throws away what waits. */
  async drop(): Promise<void> {
    const entries = this.#queue.splice(0);
    this.#changed();
    const ids = await keptIds(entries);
    if (ids.length > 0) await this.#lines.remove(ids, this.host.holder);
  }

  /** Leaves what waits to whoever opens its session next. Null where nothing does. */
  async leave(): Promise<{ readonly sessionId: SessionId; readonly count: number } | null> {
    this.#lease[Symbol.dispose]();
    const ids = await keptIds(this.#queue);
    this.#askingAgain?.[Symbol.dispose]();
    if (this.#sessionId === null || ids.length === 0) return null;
    await this.#lines.release(this.host.holder);
    return { sessionId: this.#sessionId, count: ids.length };
  }

  #changed(): void {
    this.view.update(this.#queue);
  }
}

async function keptIds(entries: readonly Entry[]): Promise<LineId[]> {
  const kept = await Promise.all(entries.map(async (entry) => ((await entry.kept) ? [entry.id] : [])));
  return kept.flat();
}

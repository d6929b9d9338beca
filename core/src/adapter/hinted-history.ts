import type { Clock } from "../base/clock.ts";
import { RecentMap } from "../base/recent-map.ts";
import { type Hinted, Hints, type HintsParts } from "./hints.ts";
import type { InboundMessage } from "./message.ts";
import type { IntakeEntry } from "./ordered-intake.ts";
import type { Polled, Polling } from "./polling.ts";
import type { ReceiveRound } from "./receive-loop.ts";

/** What {@link HintedHistory} has to know of a message. */
export interface HintedMessage {
  /** The platform's id of it. */
  readonly id: string;
  /** The chat: its messages are taken in one by one. */
  readonly place: string;
  /** When it was written, by the platform, in milliseconds since 1970. */
  readonly at: number;
  /** Becomes another one with each change of it: an edit, a file that has come. */
  readonly version: string;
  /** Whether it was edited or taken back: what is older than the first start is taken in for that alone. */
  readonly isChanged: boolean;
  /** The account's own, of which no hint is missed. */
  readonly isOwn: boolean;
  /** Whether all files are there that belong to it: for others it is waited a little. */
  readonly isWhole: boolean;
}

/** How a history is read, and what its messages mean. */
export interface HintedHistoryParts<Row> extends HintsParts {
  /** Before all is read again, which is when hints may have been missed: registers for them anew, say. */
  readonly renew?: (signal: AbortSignal) => Promise<void>;
  /** When the newest message was written; null where there is none. */
  readonly newest: (signal: AbortSignal) => Promise<number | null>;
  /** What was written from `at` on, oldest first. */
  readonly since: (at: number, signal: AbortSignal) => Promise<readonly Row[]>;
  /** One message, as it is now; null where it is not there, or never can be read. One that throws has all asked again. */
  readonly one: (id: string, signal: AbortSignal) => Promise<Row | null>;
  readonly describe: (row: Row) => HintedMessage;
  /**
   * What it means; null where it is no message for Hermes. `isMissed`: Hermes does not have it, though it was written
   * since the first start, so what is an edit now may be news.
   */
  readonly decode: (row: Row, isMissed: boolean) => Promise<InboundMessage | null>;
  /** How far the platform's clock is ahead of this machine's, in milliseconds, if that is known. */
  readonly aheadMs?: () => number;
}

/** How far back is looked, in milliseconds: a platform may get messages late, with the time when they were written. */
const OVERLAP_MS = 5 * 60_000;
const WIDE_OVERLAP_MS = 24 * 60 * 60_000;

/** How far before what an earlier process came to, in milliseconds: it may have passed over what would be taken now. */
const BEFORE_START_MS = 60 * 60_000;

/** The platform's clock may differ from this machine's by as much, in milliseconds. */
const CLOCKS_DIFFER_MS = 60_000;

/** How long is waited for files, and how often is looked for them, in milliseconds. */
const LINKED_WITHIN_MS = 4_000;
const LOOK_AGAIN_MS = 2_000;

/** How far the history is ahead of the cursor before that is written again, in milliseconds. */
const WRITTEN_EVERY_MS = 60_000;

/** An older message that was edited is not taken for a missed one, in milliseconds. */
const MISSED_FOR_MS = 7 * 24 * 60 * 60_000;

const MOST_SEEN = 10_000;

/**
 * For a platform whose events are only hints: not acknowledged, not signed, or not sent again. The messages come out of
 * its history, by polling, and a hint makes the next poll come at once. So each message is read in one way and taken in
 * once, whichever way it was heard of and however often; what no hint came for is found a little later, and nobody can
 * put a message in by a hint. Nothing is taken that was written before the very first start.
 *
 * @example
 * ```ts
 * const paces = { clock, everyMs: 20_000, deafEveryMs: 5_000 };
 * const history = new HintedHistory<Wire>({ ...paces, newest, since, one, describe, decode });
 * onEvent(({ id, sentAt, version }) => history.hint({ id, at: sentAt, version }));
 * history.way("socket", true);
 * await keepPolling({ owner: me.id, poll: history.poll });
 * ```
 */
export class HintedHistory<Row> {
  readonly #parts: HintedHistoryParts<Row>;
  readonly #clock: Clock;
  /** What is asked for, by when it was written. */
  readonly #hints: Hints<number>;
  /** The version of each message that was taken in. */
  readonly #seen = new RecentMap<string, string>(MOST_SEEN);
  /** Messages that wait for their files, or behind one that does: since when, and when they were written. */
  readonly #unlinked = new Map<string, { readonly since: number; readonly at: number }>();
  /** How far back this process reads; null before it has. */
  #from: number | null = null;

  constructor(parts: HintedHistoryParts<Row>) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#hints = new Hints(parts);
  }

  /** Whether no hints come: every way is closed, or messages are found that none came for. It is looked more often then. */
  get isDeaf(): boolean {
    return this.#hints.isDeaf;
  }

  /** Whether hints can come by a way, such as a socket. `mayHaveMissed`: a change means that some may have been missed. */
  way(name: string, isOpen: boolean, mayHaveMissed = false): void {
    if (this.#hints.way(name, isOpen) && mayHaveMissed) this.wake();
  }

  /** Has all that is recent looked at now. */
  wake(): void {
    this.#hints.wake();
  }

  /** A hint came for a message. Without its version it is known, as the account's own are, and not looked at. */
  hint({ id, at, version }: Pick<HintedMessage, "id" | "at"> & { readonly version: string | null }): void {
    this.#hints.heard(id);
    if (version !== null && this.#seen.get(id) !== version) this.#hints.ask(id, at);
  }

  /** For `keepPolling`. */
  readonly poll: Polling["poll"] = async (after, round) => {
    const { renew, newest } = this.#parts;
    const hinted = await this.#hints.next(round);
    if (hinted.mayHaveMissed) await renew?.(round.signal);
    this.#hints.takeMore();
    if (after !== null) return this.#poll(after, round, hinted);
    const at = await newest(round.signal);
    const floor = at === null ? this.#now() - CLOCKS_DIFFER_MS : at + 1;
    return { entries: [], cursor: `${floor}:${floor}` };
  };

  /** A cursor is when the first start was, and how far messages were taken in. */
  async #poll(after: string, { signal, isFirst }: ReceiveRound, hinted: Hinted<number>): Promise<Polled> {
    const [floor = 0, last = 0] = after.split(":").map((at) => this.#notAfterNow(Number(at)));
    const rows = await this.#rows(floor, last, hinted, signal);
    const held = new Set<string>();
    const entries: IntakeEntry[] = [];
    let newest = last;
    for (const row of rows) {
      const message = this.#parts.describe(row);
      const { id, place, at, isOwn } = message;
      newest = Math.max(newest, this.#notAfterNow(at));
      if (this.#seen.get(id) === message.version) continue;
      // What was written behind it waits for it.
      if (this.#isUnlinked(message, held.has(place))) held.add(place);
      else {
        if (!isFirst && !isOwn && !this.#seen.has(id)) this.#hints.found(id, at - this.#now() + this.#clock.now());
        entries.push(this.#entryOf(row, message, floor));
      }
    }
    const cursor = `${floor}:${newest - last < WRITTEN_EVERY_MS ? last : newest}`;
    return { entries, cursor, isHistory: true };
  }

  /** What is new, oldest first; before it what was hinted at that is older, such as an edit. */
  async #rows(floor: number, last: number, hinted: Hinted<number>, signal: AbortSignal): Promise<readonly Row[]> {
    const { since, one, describe } = this.#parts;
    const asked = new Map([...hinted.asked, ...Array.from(this.#unlinked, ([id, { at }]) => [id, at] as const)]);
    this.#from ??= Math.max(floor, last - BEFORE_START_MS);
    const recent = [...asked.values()].filter((at) => at >= last - OVERLAP_MS);
    if (hinted.isDue) recent.push(last - (hinted.mayHaveMissed ? WIDE_OVERLAP_MS : OVERLAP_MS));
    const all = recent.length === 0 ? [] : await since(Math.max(this.#from, Math.min(...recent)), signal);
    // What no hint came for stays where it is until it is due: its own may be on its way.
    const rows = hinted.isDue ? all : all.filter((row) => asked.has(describe(row).id));
    for (const row of rows) asked.delete(describe(row).id);
    const older = await Promise.all(
      [...asked.keys()].map(async (id) => {
        const row = await one(id, signal);
        if (row === null) this.#unlinked.delete(id);
        return row;
      }),
    );
    return [...older.filter((row) => row !== null), ...rows];
  }

  /** A clock that was wrong for a while has written times to come: from there on, nothing would be new. */
  #notAfterNow(at: number): number {
    return Math.min(at, this.#now() + CLOCKS_DIFFER_MS);
  }

  /** The time by the platform's clock. */
  #now(): number {
    return this.#clock.now() + (this.#parts.aheadMs?.() ?? 0);
  }

  /** Whether a message, or one in front of it, lacks files that may still come. */
  #isUnlinked({ id, at, isWhole }: HintedMessage, isBehind: boolean): boolean {
    const { since } = this.#unlinked.get(id) ?? { since: this.#clock.now() };
    this.#unlinked.delete(id);
    if (!isBehind && (isWhole || this.#clock.now() - since >= LINKED_WITHIN_MS)) return false;
    this.#unlinked.set(id, { since, at });
    if (!isBehind) this.#clock.setTimer(LOOK_AGAIN_MS, () => this.#hints.ask(id, at));
    return true;
  }

  #entryOf(row: Row, { id, place, at, version, isChanged }: HintedMessage, floor: number): IntakeEntry {
    const isKnown = this.#seen.has(id);
    this.#seen.set(id, version);
    const isMissed = !isKnown && at >= Math.max(floor, this.#now() - MISSED_FOR_MS);
    const decode = async () => {
      // A platform may tell of old messages again.
      if (!isKnown && at < floor && !isChanged) return null;
      return this.#parts.decode(row, isMissed);
    };
    return { place, id, decode };
  }
}

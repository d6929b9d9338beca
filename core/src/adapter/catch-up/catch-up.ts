import { backOff } from "../../base/back-off.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { isDoneWithin } from "../../base/deadline.ts";
import { PlatformError, reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { RecentMap } from "../../base/recent-map.ts";
import type { InboundMessage } from "../message.ts";
import { OrderedIntake } from "../ordered-intake.ts";
import { isFinal } from "../platform-errors.ts";
import { Cursors } from "./cursors.ts";
import type { HeardSoFar, HistoryEntry, MessageHistory } from "./message-history.ts";
import { Overflow } from "./overflow.ts";

/** What {@link CatchUp} needs: the plugin's folder, clock and log, where messages go, and how a history is read. */
export interface CatchUpParts {
  /** The plugin's own. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves when Hermes has kept the message: `context.receive`. */
  readonly receive: (message: InboundMessage) => Promise<void>;
  readonly history: MessageHistory;
  /** The most new messages that wait in memory before further ones are left to the history: 1,000 by default. */
  readonly mostWaiting?: number;
}

const MOST_WAITING = 1_000;

/** How many histories are read at once. */
const MOST_AT_ONCE = 2;

/** A history that could not be read is asked for again after 1 s, 2 s … and every minute, in milliseconds. */
const RETRY = { firstMs: 1_000, lastMs: 60_000 };

/** How long new messages of a lane wait for its history, in milliseconds. Then they are taken, and the rest comes later. */
const PATIENCE_MS = 5 * 60_000;

/**
 * A message that another one overtook on its way may come so much later, in milliseconds. Until then what was written
 * before the last one that came is read again after a break.
 */
const OVERTAKEN_FOR_MS = 60_000;

/** How many messages of histories are remembered, which may also come by themselves. */
const MOST_FETCHED = 10_000;

/**
 * Takes messages in, and fetches what was written while the platform could tell nobody: from the history of every place
 * that Hermes knows, in order, before what is written there from now on. A place's cursor moves on only when Hermes has
 * kept the message, so that nothing is lost by the end of the process at any moment; what comes a second time has the
 * same id, and core knows it. The very first time nothing of a history is taken.
 *
 * ```ts
 * const catchUp = new CatchUp({ folder, clock, logger, receive: (message) => context.receive(message), history });
 * catchUp.belongTo(botId);
 * catchUp.lost(); // before the connection is made, and whenever it was lost
 * catchUp.connected();
 * await catchUp.take({ place, id, decode }); // each message as it comes; then the platform is told that it arrived
 * ```
 */
export class CatchUp {
  readonly #parts: CatchUpParts;
  readonly #cursors: Cursors;
  readonly #intake: OrderedIntake;
  /** Lanes whose history is still to be read, and how often. Until then messages that come move no cursor there. */
  readonly #behind = new Map<string, number>();
  /** Lanes that wait to be read. */
  readonly #waiting: { readonly lane: string; readonly begin: () => void }[] = [];
  #reading = 0;
  /** Lanes that are read, or were, since the connection was lost. */
  readonly #enlisted = new Set<string>();
  /** New messages that wait. */
  #taking = 0;
  readonly #overflow: Overflow;
  readonly #fetched = new RecentMap<string, true>(MOST_FETCHED);
  /** Lists of lanes that are asked for. */
  #listing = 0;
  #up = Promise.withResolvers<void>();
  #isUp = false;
  #settling: Disposable | null = null;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
    this.#cursors = new Cursors(parts);
    this.#intake = new OrderedIntake(parts);
    this.#overflow = new Overflow({
      history: parts.history,
      heardIn: (lane) => this.#heardIn(lane),
      enlist: (lane) => this.#enlist(lane),
    });
  }

  /** Whose messages these are: another account begins anew. */
  belongTo(owner: string): void {
    this.#cursors.belongTo(owner);
  }

  /** Nothing is heard from now on: what is written is fetched once {@link connected} is called. */
  lost(): void {
    if (this.#isUp) this.#up = Promise.withResolvers();
    this.#isUp = false;
    this.#settling?.[Symbol.dispose]();
    this.#enlisted.clear();
    if (this.#cursors.horizon === null) return;
    for (const lane of new Set(this.#cursors.places.map((place) => this.#laneOf(place)))) this.#enlist(lane);
  }

  /** Messages come in again. */
  connected(): void {
    const { history, clock } = this.#parts;
    if (this.#cursors.horizon === null) this.#cursors.raise(history.at(clock.now()));
    else void this.#list();
    this.#cursors.flush();
    this.#isUp = true;
    this.#up.resolve();
    this.#settleLater();
  }

  /**
   * Takes a message as it comes. Resolves when Hermes has it, it is none for Hermes, or so many wait that it is left to
   * the history; never, when this is stopped before. `isInHistory: false`: the history does not hold it.
   */
  take(entry: HistoryEntry, { isInHistory = true } = {}): Promise<void> {
    const { place, id } = entry;
    const lane = this.#laneOf(place);
    // It was not among those that are read: something may have been written there before, too.
    const isReading = this.#listing > 0 || (!this.#isUp && this.#cursors.horizon !== null);
    if (isReading && !this.#enlisted.has(lane)) this.#enlist(lane);
    this.#cursors.heard(place, id);
    const { mostWaiting = MOST_WAITING } = this.#parts;
    const isFull = isInHistory && this.#taking >= mostWaiting;
    if (isFull && this.#overflow.leave(lane, this.#intake.signal)) return Promise.resolve();
    this.#taking++;
    return this.#intake.run(this.#queueOf(place), async () => {
      // What came out of the history is whole, and need not be read again.
      if (!this.#fetched.has(nameOf(entry))) await this.#intake.hand(entry);
      this.#taking--;
      if (this.#behind.has(lane)) return;
      this.#cursors.advance(place, id);
      if (this.#behind.size === 0 && this.#listing === 0) this.#cursors.raise(id);
    });
  }

  /** Takes a later version of a message, or what else stands in no history: it says nothing of what was heard. */
  takeBeside(entry: HistoryEntry): Promise<void> {
    return this.#intake.run(this.#queueOf(entry.place), () => this.#intake.hand(entry));
  }

  /** A place where Hermes speaks: what is written there is wanted. */
  follow(place: string): void {
    this.#cursors.follow(place);
  }

  stop(): void {
    this.#intake.stop();
    this.#settling?.[Symbol.dispose]();
    this.#cursors.close();
  }

  /** While messages come in: what came long enough ago is behind all that may still come. */
  #settleLater(): void {
    const { clock } = this.#parts;
    this.#settling?.[Symbol.dispose]();
    this.#settling = clock.setTimer(OVERTAKEN_FOR_MS, () => {
      const isWhole = (place: string) => !this.#behind.has(this.#laneOf(place));
      if (this.#listing === 0) this.#cursors.settle(clock.now() - OVERTAKEN_FOR_MS, isWhole);
      this.#settleLater();
    });
  }

  #laneOf(place: string): string {
    return this.#parts.history.laneOf?.(place) ?? place;
  }

  /** The places of a lane wait for each other only where its history is to come first, or something in front of it. */
  #queueOf(place: string): string {
    const lane = this.#laneOf(place);
    return this.#behind.has(lane) || this.#intake.waitingIn(lane) > 0 ? lane : place;
  }

  /** Finds lanes that Hermes never heard of. */
  async #list(): Promise<void> {
    const { history, logger } = this.#parts;
    const { horizon } = this.#cursors;
    if (history.lanes === undefined || horizon === null) return;
    this.#listing++;
    await this.#persist("the list of chats", async (signal) => {
      for (const { lane, after } of (await history.lanes?.(horizon, this.#cursors.places, signal)) ?? []) {
        // Known or not: Hermes may have begun to speak there since, and nobody has looked what was said before.
        if (this.#enlisted.has(lane)) continue;
        logger.debug({ lane }, "a chat is new");
        this.#cursors.follow(lane, after);
        this.#enlist(lane);
      }
    });
    this.#listing--;
  }

  #enlist(lane: string): void {
    this.#enlisted.add(lane);
    this.#behind.set(lane, (this.#behind.get(lane) ?? 0) + 1);
    void this.#intake.run(lane, async () => {
      await this.#up.promise;
      const reading = this.#read(lane).finally(() => {
        const left = (this.#behind.get(lane) ?? 1) - 1;
        if (left > 0) this.#behind.set(lane, left);
        else this.#behind.delete(lane);
      });
      if (await isDoneWithin(this.#parts.clock, PATIENCE_MS, reading)) return;
      this.#parts.logger.warn({ lane }, "a history takes so long that new messages go on");
    });
  }

  /** Reads what was missed in a lane, again and again until all of it is taken. */
  #read(lane: string): Promise<void> {
    return this.#persist(
      lane,
      async (signal) => {
        await this.#turn(lane);
        this.#overflow.begun(lane);
        try {
          for await (const entry of this.#parts.history.missed(lane, this.#heardIn(lane), signal)) {
            this.#overflow.noteRead(lane);
            if (this.#cursors.hasSeen(entry.place, entry.id)) continue;
            await this.#intake.hand(entry);
            this.#cursors.advance(entry.place, entry.id);
            this.#fetched.set(nameOf(entry), true);
          }
        } finally {
          this.#reading--;
          this.#next();
        }
      },
      () => this.#forget(lane),
    );
  }

  #heardIn(lane: string): HeardSoFar {
    const cursors = this.#cursors;
    return {
      upTo: (place) => cursors.upTo(place),
      forget: (place) => cursors.forget(place),
      places: cursors.places.filter((place) => this.#laneOf(place) === lane),
    };
  }

  /** Does `work` until it succeeds, or the platform says that it never will; `onGone` where it is not there at all. */
  async #persist(what: string, work: (signal: AbortSignal) => Promise<void>, onGone = () => {}): Promise<void> {
    const { clock, logger } = this.#parts;
    const { signal } = this.#intake;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        return await work(signal);
      } catch (error) {
        if (signal.aborted) return;
        const fields = { what, reason: reasonOf(error) };
        if (isFinal(error)) {
          this.#overflow.noteRefused(what);
          logger.warn(fields, "what was written while nobody listened cannot be read");
          if (error.code !== "PLATFORM_REJECTED") onGone();
          return;
        }
        const asked = error instanceof PlatformError ? error.retryAfterMs : null;
        const retryInMs = Math.max(asked ?? 0, backOff(attempt, RETRY));
        logger.warn({ ...fields, retryInMs }, "a history could not be read; it is asked for again");
        await sleep(clock, retryInMs, signal);
      }
    }
  }

  #forget(lane: string): void {
    for (const place of this.#heardIn(lane).places) this.#cursors.forget(place);
  }

  /** Resolves when the lane's history may be read: few at once, those first in which somebody waits for it. */
  #turn(lane: string): Promise<void> {
    const { promise, resolve: begin } = Promise.withResolvers<void>();
    this.#waiting.push({ lane, begin });
    this.#next();
    return promise;
  }

  #next(): void {
    if (this.#reading >= MOST_AT_ONCE) return;
    const urgent = this.#waiting.findIndex(({ lane }) => this.#intake.waitingIn(lane) > 1);
    const [next] = this.#waiting.splice(Math.max(urgent, 0), 1);
    if (next === undefined) return;
    this.#reading++;
    next.begin();
  }
}

function nameOf({ place, id }: HistoryEntry): string {
  return `${place} ${id}`;
}

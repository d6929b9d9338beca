import type { SessionKey } from "../../adapter/session-key.ts";

/** What the worker of a lane reports while it works. */
export interface LaneWork {
  /**
   * The worker waits. From now on work for the head of the lane (a handoff that binds it) runs at once, since that may be
   * what the worker waits for.
   */
  beginWait(): void;
  /** The worker continues. */
  endWait(): void;
}

interface Lane {
  running: Promise<void> | null;
  isWaiting: boolean;
  wakes: number;
  readonly head: (() => Promise<void>)[];
}

/**
 * A FIFO queue for each conversation. The messages themselves are in the inbox; a lane makes sure that they are handled
 * one at a time, and that work for its head runs between two of them.
 */
export class Lanes {
  readonly #lanes = new Map<SessionKey, Lane>();
  readonly #workOn: (key: SessionKey, lane: LaneWork) => Promise<boolean>;
  readonly #hasBegun: (key: SessionKey) => Promise<boolean>;

  /**
   * `workOn` deals with the oldest message of a lane; false when there was none. `hasBegun`: whether that message was begun,
   * by an earlier process mostly, and is gone on with before work for the head. Neither must throw.
   */
  constructor(
    workOn: (key: SessionKey, lane: LaneWork) => Promise<boolean>,
    hasBegun: (key: SessionKey) => Promise<boolean>,
  ) {
    this.#workOn = workOn;
    this.#hasBegun = hasBegun;
  }

  /** Looks for messages of a lane, now or when what it is working on is done. */
  wake(key: SessionKey): void {
    const lane = this.#lane(key);
    lane.wakes++;
    this.#run(key, lane);
  }

  /** Whether nothing is done in a lane. */
  isIdle(key: SessionKey): boolean {
    return !this.#lanes.has(key);
  }

  /** Runs `work` at the head of a lane. */
  atHead<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
    const lane = this.#lane(key);
    return new Promise<T>((resolve, reject) => {
      lane.head.push(() => work().then(resolve, reject));
      if (lane.isWaiting) void this.#runHead(lane);
      else this.#run(key, lane);
    });
  }

  /** Resolves when no lane works any more. */
  async idle(): Promise<void> {
    for (;;) {
      const running = [...this.#lanes.values()].flatMap((lane) => lane.running ?? []);
      if (running.length === 0) return;
      await Promise.all(running);
    }
  }

  #lane(key: SessionKey): Lane {
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = { running: null, isWaiting: false, wakes: 0, head: [] };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  #run(key: SessionKey, lane: Lane): void {
    lane.running ??= this.#drain(key, lane).finally(() => {
      lane.running = null;
      if (lane.wakes > 0 || lane.head.length > 0) this.#run(key, lane);
      else this.#lanes.delete(key);
    });
  }

  async #drain(key: SessionKey, lane: Lane): Promise<void> {
    const work: LaneWork = {
      beginWait: () => {
        lane.isWaiting = true;
        void this.#runHead(lane);
      },
      endWait: () => {
        lane.isWaiting = false;
      },
    };
    do {
      lane.wakes = 0;
      do if (lane.head.length > 0 && !(await this.#hasBegun(key))) await this.#runHead(lane);
      while (await this.#workOn(key, work).finally(work.endWait));
    } while (lane.wakes > 0);
  }

  async #runHead(lane: Lane): Promise<void> {
    for (let next = lane.head.shift(); next; next = lane.head.shift()) await next();
  }
}

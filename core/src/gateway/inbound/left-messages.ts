import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { InboundMessage } from "../../adapter/message.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { runWithin } from "../../base/deadline.ts";
import { reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import type { InboxId, InboxRow } from "../../model/inbox.ts";
import { ADAPTER } from "../account/account.ts";
import { Intake } from "./intake.ts";
import { SentCodes } from "./sent-codes.ts";

/** How long a lane waits for the platform to say how a message reads now, in milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * A platform hands over what it held right behind one another, be it by polls, a stream or webhooks. After such a pause
 * nothing more of it is expected, in milliseconds: a connection that has to be made first takes less.
 */
const QUIET_MS = 2_000;

/**
 * How long that pause is waited for, in milliseconds, from the start or from when a late message came: where people write
 * all the time it may never come, and whoever wrote it has waited already.
 */
const LOUD_MS = 10_000;

/** A message that was written so long before it came, in milliseconds, was held by its platform. */
const LATE_MS = 60_000;

/**
 * Messages that were written while no process listened or no connection stood, or that an earlier process left: nobody may
 * have told of an edit or a deletion meanwhile. Before one that was left is answered, the platform is asked for it; where it
 * cannot say, and of those that it hands over now, it hands over first what else it held.
 */
@scoped(Lifecycle.ContainerScoped)
export class LeftMessages {
  /**
   * Those that this process has taken in, or looked for. A number: it was written before this process listened, or is late,
   * and is looked for; what else the platform held is waited for since then, by the steady clock.
   */
  readonly #known = new RecentMap<InboxId, true | number>(1_000);
  /** Whether the platform was too slow once: nobody waits for it once more. */
  #isSlow = false;
  readonly #released = new AbortController();
  readonly #startedAt: number;
  readonly #writtenFrom: number;
  /** How much is being handed over, and when something was last. */
  #underway = 0;
  #heardAt: number;

  constructor(
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(Intake) readonly intake: Intake,
    @inject(SentCodes) readonly codes: SentCodes,
  ) {
    this.#startedAt = clock.steady().ms;
    this.#heardAt = this.#startedAt;
    this.#writtenFrom = clock.now();
  }

  /** Takes in what the platform hands over: what was left waits for the end of it. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    this.#underway++;
    try {
      return await work();
    } finally {
      this.#underway--;
      this.#heardAt = this.clock.steady().ms;
    }
  }

  received({ id, message }: InboxRow): void {
    const { clock } = this;
    if (message.sentAt < this.#writtenFrom) this.#known.set(id, this.#startedAt);
    else if (message.sentAt < clock.now() - LATE_MS) this.#known.set(id, clock.steady().ms);
    else this.#known.set(id, true);
  }

  /** Whether its edit or its deletion may come right behind it. */
  isHeld({ id }: InboxRow): boolean {
    return typeof this.#known.get(id) === "number";
  }

  /** Whether it was looked for: its row is to be read anew then. It may have been deleted or edited before, or meanwhile. */
  async mayHaveChanged(row: InboxRow, signal: AbortSignal): Promise<boolean> {
    const { id, state, message } = row;
    const known = this.#known.get(id);
    if (state !== "queued" || known === true) return false;
    const { conversation, messageId } = message;
    const now = known === undefined ? await this.#readNow(message, signal) : undefined;
    if (now === undefined) await this.#untilQuiet(known ?? this.#startedAt);
    else if (now === null) await this.intake.retract(conversation, messageId);
    else if (!isSame(now, message)) await this.#edit({ ...NOTHING_ELSE, ...now, isEdit: true });
    // Not before that is kept: where the store fails, it is looked for again.
    this.#known.set(id, true);
    return true;
  }

  async #edit(message: InboundMessage): Promise<void> {
    if (!(await this.codes.take(message))) await this.intake.accept(message);
  }

  /** Lets everything go that waits: this process drains. */
  release(): void {
    this.#released.abort();
  }

  async #untilQuiet(since: number): Promise<void> {
    const { clock } = this;
    const { signal } = this.#released;
    while (!signal.aborted) {
      const now = clock.steady().ms;
      const quietAt = (this.#underway > 0 ? now : this.#heardAt) + QUIET_MS;
      const until = Math.min(quietAt, since + LOUD_MS);
      if (until <= now) return;
      await sleep(clock, until - now, signal);
    }
  }

  /** Undefined where the platform does not say it, or not in time. */
  async #readNow(kept: InboundMessage, signal: AbortSignal): Promise<InboundMessage | null | undefined> {
    const { adapter, clock, logger } = this;
    if (adapter.readNow === undefined || this.#isSlow) return undefined;
    const late = new Error(`it was not told within ${PATIENCE_MS} ms`);
    try {
      const ask = async (limited: AbortSignal) => adapter.readNow?.(kept, limited);
      return await runWithin(clock, PATIENCE_MS, signal, ask, late);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#isSlow ||= error === late;
      logger.warn(
        { message: kept.messageId, reason: reasonOf(error) },
        "whether a message was edited meanwhile is not known",
      );
      return undefined;
    }
  }
}

/** What a message does not have that is told whole without it; an edit that leaves it out would keep it. */
const NOTHING_ELSE = { attachments: [], quotes: [], items: [] } as const;

function isSame(one: InboundMessage, other: InboundMessage): boolean {
  const saidIn = ({ text, attachments = [], quotes = [], items = [] }: InboundMessage) => {
    const names = attachments.map(({ name }) => name);
    return JSON.stringify([text, names, quotes.map((quote) => quote.text), items]);
  };
  return saidIn(one) === saidIn(other);
}

import {
  type AdapterContext,
  type AdapterHealth,
  type PluginDeps,
  type ReceiveFailure,
  type ReceiveRound,
  untilAborted,
} from "@hermes/core";
import { type Bot, openBot } from "./bot.ts";
import type { MatrixOptions } from "./config.ts";
import { isCuredByRestart, isTakenOver, PlaceUnknown, toPlatformError, unauthorised, unavailable } from "./errors.ts";
import { Intake } from "./intake.ts";
import { canLogIn } from "./session.ts";
import type { SyncResponse } from "./wire.ts";

/** How long the server holds an empty answer back, in milliseconds. */
const LONG_POLL_MS = 30_000;

/** How long the health tells that something may have been missed, in milliseconds. */
const TOLD_FOR_MS = 24 * 60 * 60_000;

/** How long a session that was opened again has to last, in milliseconds, for another one to be opened at once. */
const OPENED_AGAIN_AFTER_MS = 60_000;

/**
 * Keeps the bot signed in, and receives by long polling ("Syncing"). The server is told by the next `since` that what
 * came before has arrived, so a crash in between makes it come again, with the same event ids.
 */
export class Receiver {
  readonly #deps: PluginDeps<MatrixOptions>;
  readonly #context: AdapterContext;
  #intake: Intake | null = null;
  #opening: Promise<void> = Promise.resolve();
  #openedAgainAt = Number.NEGATIVE_INFINITY;
  /** When the server did not know any more from where to go on; null when it always did. */
  #lostPlaceAt: number | null = null;

  constructor(deps: PluginDeps<MatrixOptions>, context: AdapterContext) {
    this.#deps = deps;
    this.#context = context;
  }

  /** The bot in its session. Throws PLATFORM_UNAVAILABLE while there is none. */
  get bot(): Bot {
    return this.#current.bot;
  }

  /** Bytes of the largest file that the server stores; null where it does not say, or was not asked yet. */
  get largestUpload(): number | null {
    return this.#intake?.bot.largestUpload ?? null;
  }

  /** Why encrypted rooms that the bot is in cannot be read; null where all can. */
  get unreadable(): string | null {
    const { cryptoProblem = null, rooms } = this.#intake?.bot ?? {};
    return cryptoProblem !== null && rooms?.hasEncrypted ? `Encrypted rooms are not read: ${cryptoProblem}.` : null;
  }

  get #current(): Intake {
    if (this.#intake === null) throw unavailable("it is not connected");
    return this.#intake;
  }

  /** Resolves when messages are received; rejects when the server says no. */
  async start(): Promise<void> {
    const { onStop, keepReceiving } = this.#context;
    onStop(async () => {
      await this.#opening;
      await this.#intake?.stop();
    });
    await this.#open();
    await keepReceiving((round) => this.#round(round), { judge: (thrown, usual) => this.#judge(thrown, usual) });
  }

  async #open(): Promise<void> {
    const bot = await openBot(this.#deps, this.#context.signal);
    const intake = new Intake(bot, this.#context);
    this.#intake = intake;
    bot.api.onTokenUnknown = () => {
      if (!canLogIn(this.#deps.options)) return false;
      if (this.#intake === intake && !this.#context.signal.aborted) this.#opening = this.#openAgain(intake);
      return true;
    };
  }

  /**
   * Logs in again at once, so that turns need not come to their end for that. A server that ends sessions as fast as it
   * opens them is left to the host, which waits.
   */
  async #openAgain(ended: Intake): Promise<void> {
    const { clock, logger } = this.#deps;
    const { onHealth, fail } = this.#context;
    const isTooSoon = clock.now() - this.#openedAgainAt < OPENED_AGAIN_AFTER_MS;
    this.#openedAgainAt = clock.now();
    this.#intake = null;
    onHealth({ state: "starting", detail: "The session has ended; another one is being opened." });
    try {
      await ended.stop();
      if (isTooSoon) throw unauthorised();
      logger.warn({}, "the session of the bot has ended; it logs in again");
      await this.#open();
    } catch (error) {
      logger.debug({ error }, "no other session could be opened");
      fail(toPlatformError(error));
    }
  }

  /** One sync. Where the session ends meanwhile, the next one goes on. */
  async #round(round: ReceiveRound): Promise<void> {
    await this.#opening;
    const intake = this.#current;
    try {
      await this.#receive(intake, round);
    } catch (error) {
      if (this.#intake === intake || round.signal.aborted) throw error;
      await this.#round({ ...round, isFirst: true });
    }
  }

  /** Asks for more only when everything in the answer is kept. */
  async #receive(intake: Intake, { signal, isFirst, received }: ReceiveRound): Promise<void> {
    const { sync, since } = await this.#sync(intake.bot, isFirst ? 0 : LONG_POLL_MS, signal);
    received(this.#health);
    await untilAborted(intake.take(sync, since), AbortSignal.any([signal, intake.signal]));
  }

  /**
   * Syncs from where it was; where the server can do nothing with that, by a first sync, which answers nothing of what
   * is there. Only when that succeeds the place is given up: a server that is out of order may know it again.
   */
  async #sync(
    { api, store, clock, logger }: Bot,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly sync: SyncResponse; readonly since: string | null }> {
    const since = store.syncToken;
    try {
      return { sync: await api.sync(since, timeoutMs, signal), since };
    } catch (error) {
      if (!(error instanceof PlaceUnknown)) throw error;
      const sync = await api.sync(null, 0, signal);
      this.#lostPlaceAt = clock.now();
      logger.warn(
        { reason: error.reason },
        "the homeserver does not know any more up to where it was received; what was written in between is not answered",
      );
      return { sync, since: null };
    }
  }

  get #health(): AdapterHealth {
    const at = this.#lostPlaceAt;
    if (at === null || this.#deps.clock.now() - at > TOLD_FOR_MS) return { state: "up" };
    const time = new Date(at).toISOString();
    return {
      state: "up",
      detail: `At ${time} the homeserver did not know any more up to where it was received: what was written before that and not answered has to be written again.`,
    };
  }

  /** Asks for a restart where that helps: a process that slept may have lost the account and got it back unawares. */
  async #judge(thrown: unknown, usual: ReceiveFailure): Promise<ReceiveFailure> {
    const { fail, holdsAccount } = this.#context;
    if (isCuredByRestart(thrown) || (isTakenOver(thrown) && (await holdsAccount()))) fail(usual.error);
    return usual;
  }
}

import {
  type AdapterHealth,
  backOff,
  type Clock,
  isDoneWithin,
  type Logger,
  type PlatformError,
  reasonOf,
  sleep,
  untilAborted,
  withDeadline,
} from "@hermes/core";
import type { App, Receiver, Logger as SdkLogger } from "@slack/bolt";
import { Connection, type Envelope } from "./connection.ts";
import { toPlatformError, unavailable } from "./errors.ts";

export interface SocketOptions {
  readonly appToken: string;
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sdkLogger: SdkLogger;
  readonly pongWithinMs?: number;
  /** Events do not come in any more, and come in again. What is to come by a connection's announced end is not lost. */
  readonly onLost?: () => void;
  readonly onConnected?: () => void;
}

/** How long Slack may take to greet, in milliseconds. */
const GREETED_WITHIN_MS = 20_000;

/** A lost connection is opened again at once, then after 1 s, 2 s, 4 s … and every 30 s, in milliseconds. */
const RETRY = { firstMs: 1_000, lastMs: 30_000 };

/** What refuses the token will refuse it again; asked for all the same, since a workspace can be unlocked. */
const REFUSED_RETRY_MS = 5 * 60_000;

/** How often it is looked whether the connection is still one, in milliseconds. */
const LOOK_EVERY_MS = 5_000;

/** How long acknowledgements may go out on a connection that Slack is about to end, in milliseconds. */
const DRAINED_WITHIN_MS = 5_000;

/**
 * Receives for Bolt, by socket mode. Bolt acknowledges an event before its listeners have run; here the acknowledgement
 * goes out when they have, so that Slack delivers again what was not kept.
 *
 * Keeps one connection open: a lost one is opened again from whatever state it was in; one whose end is announced is
 * replaced first, and closed when its acknowledgements are out. What goes wrong stays in here.
 */
export class SlackSocket implements Receiver {
  readonly #options: SocketOptions;
  readonly #stopping = new AbortController();
  /** Envelopes that are being worked on, by the connection their acknowledgement goes out on. */
  readonly #inHand = new Map<Connection, Set<Promise<void>>>();
  #app: App | null = null;
  #appId: string | undefined;
  #current: Connection | null = null;
  #health: AdapterHealth = { state: "starting" };
  #reopening = false;
  #isLost = true;
  #watch: Disposable | null = null;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  get health(): AdapterHealth {
    return this.#health;
  }

  /** The app's id; undefined before the first greeting. */
  get appId(): string | undefined {
    return this.#appId;
  }

  init(app: App): void {
    this.#app = app;
  }

  /** Resolves when events come in. Throws a PlatformError when the first connection cannot be opened. */
  async start(): Promise<void> {
    this.#use(await this.#open());
    this.#look();
  }

  /**
   * Closes the connection at once: what Hermes has not taken by now it will not take any more. What was not
   * acknowledged is delivered again to whoever connects next.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#watch?.[Symbol.dispose]();
    this.#health = { state: "down", detail: "Slack's socket was closed." };
    this.#current?.drop();
    this.#current = null;
  }

  async #open(): Promise<Connection> {
    const { clock, appToken, apiUrl, sdkLogger, pongWithinMs } = this.#options;
    const connection = new Connection({ appToken, apiUrl, logger: sdkLogger, pongWithinMs });
    // From the first moment: events may come right behind the greeting.
    connection.onEnvelope = (envelope) => this.#take(connection, envelope);
    connection.onEndAnnounced = () => void this.#reopen(connection);
    const opening = connection.open();
    const late = () => unavailable("the socket did not greet in time");
    try {
      const greeted = untilAborted(opening, this.#stopping.signal, late);
      await withDeadline(clock, GREETED_WITHIN_MS, greeted, late);
    } catch (error) {
      connection.drop();
      throw toPlatformError(error, { method: "apps.connections.open" });
    }
    connection.onEnd = (reason) => this.#ended(connection, reason);
    if (this.#stopping.signal.aborted) {
      connection.drop();
      throw unavailable("the plugin was stopped");
    }
    return connection;
  }

  #use(connection: Connection): void {
    this.#current = connection;
    this.#appId = connection.appId ?? this.#appId;
    this.#health = { state: "up" };
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#options.onConnected?.();
  }

  #ended(connection: Connection, reason: unknown): void {
    this.#inHand.delete(connection);
    if (connection !== this.#current || this.#stopping.signal.aborted) return;
    this.#current = null;
    this.#isLost = true;
    this.#options.onLost?.();
    const why = reason ? `: ${reasonOf(reason)}` : "";
    this.#options.logger.warn({}, `the socket was closed${why}; it is opened again`);
    this.#notReceiving("the connection to Slack was lost and is being opened again");
    void this.#reopen(null);
  }

  /** Opens a connection in place of `announced`, which goes on until then, or of one that is lost. */
  async #reopen(announced: Connection | null): Promise<void> {
    // Slack may announce an end more than once.
    if (this.#reopening || (announced && announced !== this.#current)) return;
    this.#reopening = true;
    const { clock, logger } = this.#options;
    for (let failures = 1; !this.#stopping.signal.aborted; failures++) {
      try {
        const opened = await this.#open();
        this.#use(opened);
        if (announced) void this.#drain(announced);
        break;
      } catch (thrown) {
        if (this.#stopping.signal.aborted) break;
        const error = toPlatformError(thrown, { method: "apps.connections.open" });
        const waitMs = retryMs(error, failures);
        logger.warn({ error, waitMs }, "the socket could not be opened");
        if (!this.#current?.isOpen) this.#notReceiving(error.message.replace(/\.$/, ""));
        await sleep(clock, waitMs, this.#stopping.signal);
      }
    }
    this.#reopening = false;
    // The new one may have ended before this was over.
    if (!this.#current && !this.#stopping.signal.aborted) void this.#reopen(null);
  }

  /** Lets the acknowledgements of a connection go out, and closes it. */
  async #drain(connection: Connection): Promise<void> {
    const { clock } = this.#options;
    await isDoneWithin(clock, DRAINED_WITHIN_MS, Promise.all(this.#inHand.get(connection) ?? []));
    this.#inHand.delete(connection);
    connection.drop();
  }

  /** A socket whose peer is gone stays in the act of closing for half a minute, and says nothing of it. */
  #look(): void {
    this.#watch = this.#options.clock.setTimer(LOOK_EVERY_MS, () => {
      const connection = this.#current;
      if (connection && !connection.isOpen) {
        connection.drop();
        this.#ended(connection, new Error("it stopped answering"));
      }
      if (!this.#stopping.signal.aborted) this.#look();
    });
  }

  #take(connection: Connection, envelope: Envelope): void {
    const work = this.#process(envelope).finally(() => inHand.delete(work));
    const inHand = this.#inHand.get(connection) ?? new Set();
    this.#inHand.set(connection, inHand.add(work));
  }

  async #process({ body, ack, retry_num: retryNum, retry_reason: retryReason }: Envelope): Promise<void> {
    let answer: unknown;
    try {
      await this.#app?.processEvent({
        body,
        ...(retryNum === undefined ? {} : { retryNum }),
        ...(retryReason === undefined ? {} : { retryReason }),
        ack: async (given: unknown) => {
          answer = given;
        },
      });
    } catch (error) {
      this.#options.logger.warn({ error }, "an event was not taken; Slack delivers it again");
      return;
    }
    // On a connection that ended meanwhile it fails; Slack delivers again, and the message is known then.
    await ack(answer).catch((error: unknown) => {
      this.#options.logger.debug({ reason: reasonOf(error) }, "an acknowledgement did not go out");
    });
  }

  #notReceiving(why: string): void {
    this.#health = { state: "degraded", detail: `Not receiving: ${why}.` };
  }
}

function retryMs(error: PlatformError, failures: number): number {
  if (!error.retryable) return REFUSED_RETRY_MS;
  return error.retryAfterMs ?? backOff(failures, RETRY);
}

import {
  type AdapterHealth,
  type Clock,
  isDoneWithin,
  type Logger,
  ReceiveLoop,
  type ReceiveRound,
  reasonOf,
  untilAborted,
  withDeadline,
} from "@hermes/core";
import type { App, Receiver, Logger as SdkLogger } from "@slack/bolt";
import { toPlatformError, unavailable } from "./errors.ts";
import { type Envelope, SocketConnection } from "./socket-connection.ts";

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
  /** Hears of the health before the start is over. */
  readonly onHealth?: (health: AdapterHealth) => void;
}

/** How long Slack may take to greet, in milliseconds; when it is said that it has not. */
const GREETED_WITHIN_MS = 20_000;
const GREETED_SOON_MS = 3_000;

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
  readonly #loop: ReceiveLoop;
  /** Envelopes that are being worked on, by the connection their acknowledgement goes out on. */
  readonly #inHand = new Map<SocketConnection, Set<Promise<void>>>();
  #app: App | null = null;
  #appId: string | undefined;
  #current: SocketConnection | null = null;
  /** Resolves when another connection is to be opened in place of the current one, or because that is lost. */
  #over = Promise.withResolvers<void>();
  #health: AdapterHealth = { state: "starting" };
  #isLost = true;
  #watch: Disposable | null = null;

  constructor(options: SocketOptions) {
    this.#options = options;
    const { clock, logger } = options;
    this.#loop = new ReceiveLoop({
      clock,
      logger,
      receive: (round) => this.#round(round),
      toPlatformError: (thrown) => toPlatformError(thrown, { method: "apps.connections.open" }),
      onHealth: (health) => {
        this.#health = health;
      },
      judge: (_, { error, waitMs }) => ({
        error,
        // One whose end is announced goes on until then.
        health: this.#current?.isOpen ? null : notReceiving(error.message.replace(/\.$/, "")),
        waitMs: error.retryable ? waitMs : REFUSED_RETRY_MS,
      }),
    });
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
    await this.#loop.start();
    this.#look();
  }

  /**
   * Closes the connection at once: what Hermes has not taken by now it will not take any more. What was not
   * acknowledged is delivered again to whoever connects next.
   */
  async stop(): Promise<void> {
    const stopped = this.#loop.stop();
    this.#watch?.[Symbol.dispose]();
    this.#current?.drop();
    this.#current = null;
    await stopped;
    this.#health = { state: "down", detail: "Slack's socket was closed." };
  }

  /** One connection, from its opening until it is lost or its end is announced. */
  async #round({ signal, received }: ReceiveRound): Promise<void> {
    const connection = await this.#open(signal);
    const announced = this.#current;
    this.#current = connection;
    this.#over = Promise.withResolvers();
    this.#appId = connection.appId ?? this.#appId;
    received();
    if (this.#isLost) this.#options.onConnected?.();
    this.#isLost = false;
    if (announced) void this.#drain(announced);
    await untilAborted(this.#over.promise, signal);
  }

  async #open(signal: AbortSignal): Promise<SocketConnection> {
    const { clock, appToken, apiUrl, sdkLogger, pongWithinMs } = this.#options;
    const connection = new SocketConnection({ appToken, apiUrl, logger: sdkLogger, pongWithinMs });
    // From the first moment: events may come right behind the greeting.
    connection.onEnvelope = (envelope) => this.#take(connection, envelope);
    connection.onEndAnnounced = () => connection === this.#current && this.#over.resolve();
    const late = () => unavailable("the socket did not greet in time");
    using _soon = clock.setTimer(GREETED_SOON_MS, () => {
      if (this.#current?.isOpen) return;
      this.#health = {
        state: this.#health.state,
        detail: "Not receiving: Slack was asked for a socket and has not greeted.",
      };
      this.#options.onHealth?.(this.#health);
    });
    try {
      await withDeadline(clock, GREETED_WITHIN_MS, untilAborted(connection.open(), signal, late), late);
      signal.throwIfAborted();
    } catch (error) {
      connection.drop();
      throw error;
    }
    connection.onEnd = (reason) => this.#ended(connection, reason);
    return connection;
  }

  #ended(connection: SocketConnection, reason: unknown): void {
    this.#inHand.delete(connection);
    if (connection !== this.#current) return;
    this.#current = null;
    this.#isLost = true;
    this.#options.onLost?.();
    const why = reason ? `: ${reasonOf(reason)}` : "";
    this.#options.logger.warn({}, `the socket was closed${why}; it is opened again`);
    this.#health = notReceiving("the connection to Slack was lost and is being opened again");
    this.#over.resolve();
  }

  /** Lets the acknowledgements of a connection go out, and closes it. */
  async #drain(connection: SocketConnection): Promise<void> {
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
      this.#look();
    });
  }

  #take(connection: SocketConnection, envelope: Envelope): void {
    const work = this.#process(envelope).finally(() => inHand.delete(work));
    const inHand = this.#inHand.get(connection) ?? new Set();
    this.#inHand.set(connection, inHand.add(work));
  }

  async #process({ type, body, ack, retry_num: retryNum, retry_reason: retryReason }: Envelope): Promise<void> {
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
      // What a person did just now is not repeated: Slack shows them that it failed.
      const after = type === "events_api" ? "Slack delivers it again" : "Slack tells whoever gave it";
      this.#options.logger.warn({ error }, `an event was not taken; ${after}`);
      return;
    }
    // On a connection that ended meanwhile it fails; Slack delivers again, and the message is known then.
    await ack(answer).catch((error: unknown) => {
      this.#options.logger.debug({ reason: reasonOf(error) }, "an acknowledgement did not go out");
    });
  }
}

function notReceiving(why: string): AdapterHealth {
  return { state: "degraded", detail: `Not receiving: ${why}.` };
}

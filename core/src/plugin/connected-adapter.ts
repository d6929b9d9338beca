import { type AdapterEvents, PlatformAdapter } from "../adapter/adapter.ts";
import type { AdapterHealth } from "../adapter/capabilities.ts";
import { OrderedIntake } from "../adapter/ordered-intake.ts";
import { platformErrors } from "../adapter/platform-errors.ts";
import { type Polling, pollingRound } from "../adapter/polling.ts";
import { ReceiveLoop, type ReceiveLoopParts } from "../adapter/receive-loop.ts";
import { NO_HISTORY } from "../adapter/session-history.ts";
import { HermesError, PlatformError, reasonOf } from "../base/errors.ts";
import type { PluginDeps } from "./descriptor.ts";

/** What `connect` gets: callbacks, helpers and the signal that ends the connection. */
export interface AdapterContext extends Required<AdapterEvents> {
  /** Aborts when the adapter is to be stopped. */
  readonly signal: AbortSignal;
  /** Sets the adapter's health. */
  onHealth(health: AdapterHealth): void;
  /** Registers a clean-up step. Steps run in reverse order when the adapter stops, also after a failed connect. */
  onStop(undo: () => void | Promise<void>): void;
  /**
   * Runs the receive loop until the adapter stops. Resolves after the first successful round and rejects if the platform
   * refuses. See {@link ReceiveLoop}.
   */
  keepReceiving(
    receive: ReceiveLoopParts["receive"],
    options?: Pick<ReceiveLoopParts, "retry" | "judge">,
  ): Promise<void>;
  /**
   * Receives by polling until the adapter stops, as `keepReceiving` does, and keeps the platform's cursor in the plugin's
   * folder: written when all that a poll brought is kept, so a crash loses nothing. See {@link Polling}.
   */
  keepPolling(polling: Polling): Promise<void>;
}

/**
 * Base class of an adapter with a connection. The adapter implements `connect`; this class tracks the connection and its
 * health, and stops it.
 *
 * @example
 * ```ts
 * class PagerAdapter extends ConnectedAdapter<Pager, PagerOptions> {
 *   protected override async connect({ receive, keepReceiving, onStop }: AdapterContext): Promise<Pager> {
 *     const pager = await openPager(this.deps.options);
 *     onStop(() => pager.close());
 *     await keepReceiving(async ({ signal }) => {
 *       for (const message of await pager.poll(signal)) await receive(decode(message));
 *     });
 *     return pager;
 *   }
 *   override async send(to: Conversation, { text }: Piece) {
 *     return this.connection.send(to.chatId, text);
 *   }
 *   …
 * }
 * ```
 */
export abstract class ConnectedAdapter<Connection, Options = unknown> extends PlatformAdapter {
  /** Converts an error of the platform's library, thrown by `connect` or while receiving. */
  protected readonly toPlatformError?: (thrown: unknown) => PlatformError;
  protected readonly deps: PluginDeps<Options>;
  readonly #stopping = new AbortController();
  readonly #undo: (() => void | Promise<void>)[] = [];
  #connection: Connection | null = null;
  #health: AdapterHealth = { state: "starting" };
  #opening: Promise<void> | null = null;
  #stopped: Promise<void> | null = null;

  constructor(deps: PluginDeps<Options>) {
    super();
    this.deps = deps;
  }

  /**
   * Connects. Resolves with the connection once messages can arrive. Registers clean-up with `onStop`, or ends its work
   * when `signal` aborts.
   */
  protected abstract connect(context: AdapterContext): Promise<Connection>;

  /** The connection that `connect` returned. Throws PLATFORM_UNAVAILABLE while there is none. */
  protected get connection(): Connection {
    if (this.#connection === null) throw platformErrors(this.platform).unavailable("it is not connected");
    return this.#connection;
  }

  /** The connection that `connect` returned, or null. */
  protected get connected(): Connection | null {
    return this.#connection;
  }

  override async start(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    const until = AbortSignal.any([signal, this.#stopping.signal]);
    const opening = this.#open(this.#contextFor(events, until));
    this.#opening = opening.catch(() => {});
    await opening;
  }

  /** Stops and runs all clean-up steps. Idempotent: later calls wait for the first. */
  override stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  override health(): AdapterHealth {
    return this.#health;
  }

  async #open(context: AdapterContext): Promise<void> {
    try {
      const connection = await this.connect(context);
      context.signal.throwIfAborted();
      this.#connection = connection;
      if (this.#health.state === "starting") this.#health = { state: "up" };
    } catch (thrown) {
      await this.#undoAll();
      const error = this.toPlatformError?.(thrown) ?? thrown;
      const detail = error instanceof HermesError ? `${error.message} ${error.hint}` : `${reasonOf(error)}.`;
      this.#health = { state: "down", detail };
      throw error;
    }
  }

  async #end(): Promise<void> {
    this.#stopping.abort();
    this.#connection = null;
    await this.#undoAll();
    await this.#opening;
    this.#health = { state: "down", detail: "It was stopped." };
  }

  async #undoAll(): Promise<void> {
    for (const undo of this.#undo.splice(0).reverse()) {
      try {
        await undo();
      } catch (error) {
        this.deps.logger.warn({ error }, "something could not be undone when the adapter was stopped");
      }
    }
  }

  #contextFor(events: AdapterEvents, signal: AbortSignal): AdapterContext {
    const { clock, logger, folder } = this.deps;
    const onHealth = (health: AdapterHealth) => {
      this.#health = health;
    };
    const onStop = (undo: () => void | Promise<void>) => void this.#undo.push(undo);
    const toPlatformError = (thrown: unknown): PlatformError => {
      if (this.toPlatformError) return this.toPlatformError(thrown);
      return thrown instanceof PlatformError ? thrown : platformErrors(this.platform).unavailable(reasonOf(thrown));
    };
    const context: AdapterContext = {
      signal,
      // One by one: the events may be an object of a class.
      receive: (message) => events.receive(message),
      settle: (...word) => events.settle(...word),
      moved: (from, to) => events.moved(from, to),
      retracted: (...word) => events.retracted(...word),
      choose: (press) => events.choose(press),
      fail(error) {
        if (!signal.aborted) events.fail(error);
      },
      holdsAccount: async () => (await events.holdsAccount?.()) ?? true,
      history: events.history ?? NO_HISTORY,
      onHealth,
      onStop,
      async keepReceiving(receive, options) {
        const loop = new ReceiveLoop({ clock, logger, toPlatformError, onHealth, receive, ...options });
        onStop(() => loop.stop());
        await loop.start();
      },
      async keepPolling({ judge, ...polling }) {
        const intake = new OrderedIntake({ receive: context.receive, clock, logger });
        onStop(() => intake.stop());
        await context.keepReceiving(pollingRound(polling, { folder, intake, logger }), { judge });
      },
    };
    return context;
  }
}

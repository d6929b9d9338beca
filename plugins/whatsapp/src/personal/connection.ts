import {
  type AdapterHealth,
  backOff,
  type Clock,
  isDoneWithin,
  type Logger,
  type PlatformError,
  reasonOf,
  sleep,
} from "@hermes/core";
import type { SignalKeyStore, WASocket } from "@whiskeysockets/baileys";
import { forbidden, unavailable } from "../errors.ts";
import { Credentials } from "./credentials.ts";
import { currentVersion, type EndReason, endReasonOf, openSocket, type SocketParts } from "./socket.ts";

export interface ConnectionParts {
  readonly options: SocketParts["options"];
  /** The plugin's. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly makeSignalRepository: (store: SignalKeyStore) => NonNullable<SocketParts["makeSignalRepository"]>;
  readonly sent: NonNullable<SocketParts["sent"]>;
  /** A socket was made; nothing has come over it yet. */
  readonly onSocket: (socket: WASocket) => void;
  /** Whether this process has the account: a connection ends that of the process that does, and spoils its keys. */
  readonly holdsAccount: () => Promise<boolean>;
  /** The connection is open. */
  readonly onOpen: (socket: WASocket) => void;
}

/** How one connection went. */
interface Life {
  readonly reason: EndReason;
  readonly wasOpen: boolean;
  /** What was wrong before there was one, for a person. */
  readonly problem?: string;
}

/** A lost connection is made again after 1 s, 2 s, 4 s … and every minute, in milliseconds. */
const RETRY = { firstMs: 1_000, lastMs: 60_000 };

/**
 * A connection that another program took over is made again after 30 s, 1 min … and every 5 minutes: the other one may be
 * gone, or go on in turn. In milliseconds.
 */
const FIRST_TAKE_BACK_MS = 30_000;
const LAST_TAKE_BACK_MS = 5 * 60_000;

/** An account that was closed may be given back: WhatsApp is asked again after this, in milliseconds. */
const BANNED_RETRY_MS = 60 * 60_000;

/** How long the server may take to say goodbye, in milliseconds. */
const CLOSED_WITHIN_MS = 2_000;

/** How often to ask whether this process has the account again, in milliseconds. */
const LOOK_FOR_ACCOUNT_MS = 1_000;

/** How often to look whether a device that was logged out is linked again, in milliseconds. */
const LOOK_FOR_LINK_MS = 5_000;

const NOT_LINKED = "No device is linked. Run `hermes whatsapp link`, and scan the code with the phone.";

const LOGGED_OUT =
  "The phone has removed this device. Its credentials are kept aside; run `hermes whatsapp link`, and scan the code.";

const REPLACED =
  "The linked device is in use elsewhere: another program has connected with the same credentials. Stop that one; Hermes tries again by itself within 5 minutes.";

const BANNED =
  "WhatsApp does not let this account in any more. Open WhatsApp on the phone: it says why. Hermes tries again by itself every hour.";

/**
 * The one connection to WhatsApp: made once at a time, made again when it is lost, seldom where another program has taken
 * it over or WhatsApp has closed the account, and not when the phone has ended it.
 */
export class Connection {
  readonly #parts: ConnectionParts;
  readonly #ended = new AbortController();
  #socket: WASocket | null = null;
  #health: AdapterHealth = { state: "starting" };
  #running: Promise<void> | null = null;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  get health(): AdapterHealth {
    return this.#health;
  }

  /** The socket that is open now; throws a PlatformError when there is none. */
  get socket(): WASocket {
    if (this.#socket === null) throw unavailable(asReason(this.#health.detail ?? "it is not connected"));
    return this.#socket;
  }

  /** Resolves when the connection is open for the first time. Throws a PlatformError when it does not come to that. */
  async start(): Promise<void> {
    if (!this.#isLinked) throw this.#down(unavailable(asReason(NOT_LINKED)), NOT_LINKED);
    const opened = Promise.withResolvers<void>();
    this.#running = this.#run(opened);
    return opened.promise;
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  get #isLinked(): boolean {
    return Credentials.areThere(this.#parts.folder);
  }

  #down(error: PlatformError, detail: string): PlatformError {
    this.#health = { state: "down", detail };
    return error;
  }

  async #run(opened: PromiseWithResolvers<void>): Promise<void> {
    const { clock, logger } = this.#parts;
    const { signal } = this.#ended;
    let failures = 0;
    let replaced = 0;
    let version: SocketParts["version"];
    while (!signal.aborted) {
      if (!(await this.#parts.holdsAccount())) {
        await sleep(clock, LOOK_FOR_ACCOUNT_MS, signal);
        continue;
      }
      const begunAt = clock.now();
      const life = await this.#live(version, opened).catch((error: unknown): Life => {
        logger.error({ error }, "no connection to WhatsApp could be begun");
        return { reason: "lost", wasOpen: false, problem: asReason(reasonOf(error)) };
      });
      if (signal.aborted) break;
      logger.info({ reason: life.reason, wasOpen: life.wasOpen }, "the connection to WhatsApp has ended");
      if (life.wasOpen) failures = 0;
      if (life.reason === "banned") {
        opened.reject(this.#down(forbidden(asReason(BANNED), "`hermes status` shows how it goes on."), BANNED));
        await sleep(clock, BANNED_RETRY_MS, signal);
        continue;
      }
      if (life.reason === "replaced") {
        opened.reject(this.#down(unavailable(asReason(REPLACED)), REPLACED));
        if (clock.now() - begunAt > LAST_TAKE_BACK_MS) replaced = 0;
        await sleep(clock, Math.min(FIRST_TAKE_BACK_MS * 2 ** replaced++, LAST_TAKE_BACK_MS), signal);
        continue;
      }
      if (life.reason === "logged-out") {
        opened.reject(this.#down(unavailable(asReason(LOGGED_OUT)), LOGGED_OUT));
        await this.#untilLinked();
        continue;
      }
      // Only where it was open: a server that always says so would be asked without end.
      if (life.reason === "restart" && life.wasOpen) continue;
      if (life.reason === "outdated" && version === undefined) {
        version = await currentVersion();
        if (version !== undefined) continue;
      }
      const problem = problemOf(life);
      this.#health = { state: "down", detail: `Not receiving: ${problem}. It is tried again by itself.` };
      opened.reject(unavailable(problem));
      await sleep(clock, backOff(++failures, RETRY), signal);
    }
    opened.reject(unavailable("it was stopped"));
  }

  /** One connection from its beginning to its end. */
  async #live(version: SocketParts["version"], opened: PromiseWithResolvers<void>): Promise<Life> {
    const { onOpen, onSocket, folder } = this.#parts;
    const credentials = Credentials.open(folder);
    if (credentials === null) return { reason: "logged-out", wasOpen: false };
    const makeSignalRepository = this.#parts.makeSignalRepository(credentials.state.keys);
    const socket = openSocket({ ...this.#parts, credentials, version, makeSignalRepository });
    const ended = Promise.withResolvers<EndReason>();
    let wasOpen = false;
    socket.ev.on("creds.update", () => this.#save(credentials));
    socket.ev.on("connection.update", ({ connection, lastDisconnect }) => {
      if (connection === "close") ended.resolve(endReasonOf(lastDisconnect?.error));
      if (connection !== "open") return;
      wasOpen = true;
      this.#socket = socket;
      this.#health = { state: "up" };
      onOpen(socket);
      opened.resolve();
    });
    onSocket(socket);
    const stop = () => ended.resolve("lost");
    this.#ended.signal.addEventListener("abort", stop, { once: true });
    if (this.#ended.signal.aborted) stop();
    const reason = await ended.promise;
    this.#ended.signal.removeEventListener("abort", stop);
    this.#socket = null;
    // Whatever came of it: nothing of this connection lives on beside the next one.
    await isDoneWithin(this.#parts.clock, CLOSED_WITHIN_MS, socket.end(undefined));
    credentials.close();
    if (reason === "logged-out") credentials.putAside();
    return { reason, wasOpen };
  }

  /** A disk that is full is no reason to end the connection: with the next change they are saved as a whole. */
  #save(credentials: Credentials): void {
    try {
      credentials.save();
    } catch (error) {
      this.#parts.logger.error({ error }, "the credentials of the linked device could not be saved");
    }
  }

  async #untilLinked(): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = this.#ended;
    while (!signal.aborted && !this.#isLinked) await sleep(clock, LOOK_FOR_LINK_MS, signal);
  }
}

function problemOf({ reason, problem }: Life): string {
  if (problem !== undefined) return problem;
  return reason === "outdated"
    ? "WhatsApp wants a newer client than this version of the plugin has; update @hermes/plugin-whatsapp"
    : "the connection to WhatsApp is lost";
}

/** A sentence as a part of another one. */
function asReason(sentence: string): string {
  return sentence.replace(/[.]$/, "");
}

import {
  type AdapterContext,
  backOff,
  type Clock,
  isDoneWithin,
  type Logger,
  type PlatformError,
  type ReceiveRound,
  reasonOf,
  sleep,
  untilAborted,
} from "@hermes/core";
import type { SignalKeyStore, WASocket } from "@whiskeysockets/baileys";
import { forbidden, unavailable } from "../errors.ts";
import { Credentials } from "./credentials.ts";
import { currentVersion, type EndReason, endReasonOf, openSocket, type SocketParts } from "./socket.ts";

export interface LinkedDeviceParts {
  readonly options: SocketParts["options"];
  /** The plugin's. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly makeSignalRepository: (store: SignalKeyStore) => NonNullable<SocketParts["makeSignalRepository"]>;
  readonly sent: NonNullable<SocketParts["sent"]>;
  /** A socket was made; nothing has come through it yet. */
  readonly onSocket: (socket: WASocket) => void;
  /**
   * Whether this process has the account: connecting would end the connection of the process that has it, and spoil its
   * keys.
   */
  readonly holdsAccount: () => Promise<boolean>;
  /** Resolves when more messages may be received; no connection is made before. */
  readonly room: () => Promise<void>;
  /** The connection is open. */
  readonly onOpen: () => void;
}

/** How one connection went. */
interface Life {
  readonly reason: EndReason;
  readonly wasOpen: boolean;
  /** What was wrong before it was open, for a person. */
  readonly problem?: string;
}

/** Why there is no connection, as the health says it, and when it is made again. */
interface Pause {
  readonly detail: string;
  readonly waitMs?: number | undefined;
}

/** A lost connection is made again after 1 s, 2 s, 4 s … and every minute, in milliseconds. */
const RETRY = { firstMs: 1_000, lastMs: 60_000 };

/**
 * A connection that another program took over is made again after 30 s, 1 min … and every 5 minutes, in milliseconds:
 * the other program may be gone, or take it over again.
 */
const TAKE_BACK = { firstMs: 30_000, lastMs: 5 * 60_000 };

/** Milliseconds until the next attempt with an account that WhatsApp has closed: it may open it again. */
const BANNED_RETRY_MS = 60 * 60_000;

/** Milliseconds that the server has to close a connection. */
const CLOSED_WITHIN_MS = 2_000;

/** Milliseconds between two questions whether this process has the account again. */
const LOOK_FOR_ACCOUNT_MS = 1_000;

/** Milliseconds between two looks whether a device that was logged out is linked again. */
const LOOK_FOR_LINK_MS = 5_000;

const NOT_LINKED = "No device is linked. Run `hermes whatsapp link`, and scan the code with the phone.";

const LOGGED_OUT =
  "The phone has removed this device. Its credentials are kept aside; run `hermes whatsapp link`, and scan the code.";

const REPLACED =
  "The linked device is in use elsewhere: another program has connected with the same credentials. Stop that one; Hermes tries again by itself within 5 minutes.";

const BANNED =
  "WhatsApp does not let this account in any more. Open WhatsApp on the phone: it says why. Hermes tries again by itself every hour.";

/**
 * The linked device, with one connection at a time. It reconnects when the connection is lost, seldom when another
 * program took it over or WhatsApp has closed the account, and only after a new link when the phone has removed it.
 */
export class LinkedDevice {
  readonly #parts: LinkedDeviceParts;
  #socket: WASocket | null = null;
  #pause: Pause | null = null;
  /** Of WhatsApp's web page, once the library's own was too old. */
  #version: SocketParts["version"];
  #timesReplaced = 0;

  constructor(parts: LinkedDeviceParts) {
    this.#parts = parts;
  }

  /** The socket that is open now; throws a PlatformError when there is none. */
  get socket(): WASocket {
    if (this.#socket === null) throw unavailable(asReason(this.#pause?.detail ?? "it is not connected"));
    return this.#socket;
  }

  /** Resolves when the connection is open for the first time. Throws a PlatformError when it cannot be opened. */
  async connect({ keepReceiving }: Pick<AdapterContext, "keepReceiving">): Promise<void> {
    if (!this.#isLinked) throw unavailable(asReason(NOT_LINKED));
    await keepReceiving((round) => this.#receive(round), {
      retry: RETRY,
      judge: (_, usual) => {
        if (this.#pause === null) return usual;
        const { detail, waitMs = usual.waitMs } = this.#pause;
        return { ...usual, health: { state: "down", detail }, waitMs };
      },
    });
  }

  get #isLinked(): boolean {
    return Credentials.areThere(this.#parts.folder);
  }

  /** One connection; returns when the next one is to be made at once. */
  async #receive(round: ReceiveRound): Promise<void> {
    const { clock, logger, holdsAccount } = this.#parts;
    const { signal } = round;
    while (!signal.aborted && !this.#isLinked) await sleep(clock, LOOK_FOR_LINK_MS, signal);
    while (!signal.aborted && !(await holdsAccount())) await sleep(clock, LOOK_FOR_ACCOUNT_MS, signal);
    await untilAborted(this.#parts.room(), signal).catch(() => {});
    if (signal.aborted) return;
    const begunAt = clock.now();
    const life = await this.#live(round).catch((error: unknown): Life => {
      logger.error({ error }, "no connection to WhatsApp could be begun");
      return { reason: "lost", wasOpen: false, problem: asReason(reasonOf(error)) };
    });
    if (signal.aborted) return;
    const { reason, wasOpen } = life;
    logger.info({ reason, wasOpen }, "the connection to WhatsApp has ended");
    if (reason === "banned") {
      throw this.#paused(forbidden(asReason(BANNED), "`hermes status` shows how it goes on."), BANNED, BANNED_RETRY_MS);
    }
    if (reason === "replaced") {
      if (clock.now() - begunAt > TAKE_BACK.lastMs) this.#timesReplaced = 0;
      throw this.#paused(unavailable(asReason(REPLACED)), REPLACED, backOff(++this.#timesReplaced, TAKE_BACK));
    }
    if (reason === "logged-out") throw this.#paused(unavailable(asReason(LOGGED_OUT)), LOGGED_OUT, 0);
    // Only if it was open: a server that always asks for a restart would be asked without end.
    if (reason === "restart" && wasOpen) return;
    if (reason === "outdated" && this.#version === undefined) {
      this.#version = await currentVersion();
      if (this.#version !== undefined) return this.#receive(round);
    }
    const problem = problemOf(life);
    throw this.#paused(unavailable(problem), `Not receiving: ${problem}. Hermes tries again by itself.`);
  }

  #paused(error: PlatformError, detail: string, waitMs?: number): PlatformError {
    this.#pause = { detail, waitMs };
    return error;
  }

  /** One connection from its beginning to its end. */
  async #live({ signal, received }: ReceiveRound): Promise<Life> {
    const { onOpen, onSocket, folder } = this.#parts;
    const credentials = Credentials.open(folder);
    if (credentials === null) return { reason: "logged-out", wasOpen: false };
    const makeSignalRepository = this.#parts.makeSignalRepository(credentials.state.keys);
    const socket = openSocket({ ...this.#parts, credentials, version: this.#version, makeSignalRepository });
    const ended = Promise.withResolvers<EndReason>();
    let wasOpen = false;
    socket.ev.on("creds.update", () => this.#save(credentials));
    socket.ev.on("connection.update", ({ connection, lastDisconnect }) => {
      if (connection === "close") ended.resolve(endReasonOf(lastDisconnect?.error));
      if (connection !== "open") return;
      wasOpen = true;
      this.#socket = socket;
      this.#pause = null;
      onOpen();
      received();
    });
    onSocket(socket);
    const stop = () => ended.resolve("lost");
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const reason = await ended.promise;
    signal.removeEventListener("abort", stop);
    this.#socket = null;
    // Nothing of this connection may live on beside the next one.
    await isDoneWithin(this.#parts.clock, CLOSED_WITHIN_MS, socket.end(undefined));
    credentials.close();
    if (reason === "logged-out") credentials.putAside();
    return { reason, wasOpen };
  }

  /** A full disk does not end the connection: the next change saves the credentials as a whole. */
  #save(credentials: Credentials): void {
    try {
      credentials.save();
    } catch (error) {
      this.#parts.logger.error({ error }, "the credentials of the linked device could not be saved");
    }
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

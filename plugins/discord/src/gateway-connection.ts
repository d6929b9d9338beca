import { once } from "node:events";
import { type AdapterHealth, type Logger, type PlatformError, reasonOf } from "@hermes/core";
import {
  Client,
  DefaultRestOptions,
  Events,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  GatewayIntentBits,
  type GatewayReadyDispatchData,
  Options,
  RESTEvents,
  type RESTOptions,
  SimpleShardingStrategy,
} from "discord.js";
import type { DiscordOptions } from "./config.ts";
import { intentsAreOff, notConnected, rejected, toPlatformError, unauthorised } from "./errors.ts";

/** A rate limit that is over sooner is waited for within a call; the outbox waits for a longer one, in milliseconds. */
const LONGEST_WAIT_MS = 3_000;

/** How long one request may take, in milliseconds; one with a file as long as its caller waits, within this. */
const REQUEST_TIMEOUT_MS = 20_000;
const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/** Servers that Discord itself cannot reach hold up the start for this long, in milliseconds. */
const WAIT_FOR_GUILDS_MS = 5_000;

/** discord.js does not come back after some codes; another connection is made after this, in milliseconds. */
const CLOSED_RETRY_MS = 5 * 60_000;

/** Who the bot is on Discord. */
export interface Identity {
  readonly userId: string;
  readonly applicationId: string;
}

/** The connection to the gateway, and how it is doing. discord.js keeps it up: it resumes and reconnects by itself. */
export class GatewayConnection {
  readonly client: Client;
  readonly #token: string;
  readonly #logger: Logger;
  #health: AdapterHealth = { state: "starting" };
  /** With which code Discord closed the connection for good. */
  #closedWith: number | null = null;
  #identity: Identity | null = null;
  #isClosed = false;
  #isTold = false;
  /** Hears that discord.js does not go on by itself, and when another connection is to be made. */
  readonly #onEnded: (error: PlatformError, retryInMs: number) => void;

  constructor(
    { token, apiUrl }: Pick<DiscordOptions, "token" | "apiUrl">,
    logger: Logger,
    onEnded: (error: PlatformError, retryInMs: number) => void,
  ) {
    this.#token = token;
    this.#logger = logger;
    this.#onEnded = onEnded;
    this.client = new Client({
      intents: [
        GatewayIntentBits.Guilds,
        GatewayIntentBits.GuildMessages,
        GatewayIntentBits.DirectMessages,
        GatewayIntentBits.MessageContent,
      ],
      waitGuildTimeout: WAIT_FOR_GUILDS_MS,
      // Messages are read as they come, and people are not looked up: only channels, roles and the bot itself are kept.
      makeCache: Options.cacheWithLimits({
        ...Options.DefaultMakeCacheSettings,
        MessageManager: 0,
        ReactionManager: 0,
        PresenceManager: 0,
        VoiceStateManager: 0,
        ThreadMemberManager: 0,
        GuildMemberManager: { maxSize: 0, keepOverLimit: ({ id, client }) => id === client.user.id },
        UserManager: { maxSize: 0, keepOverLimit: ({ id, client }) => id === client.user?.id },
      }),
      ws: {
        buildStrategy: (manager) => {
          const { retrieveSessionInfo } = manager.options;
          // Asked before each connection. discord.js forgets a shard that is stopped while it waits to connect anew,
          // and the shard would connect all the same, with nobody left to stop it.
          manager.options.retrieveSessionInfo = (shardId) =>
            this.#isClosed ? new Promise(() => {}) : retrieveSessionInfo(shardId);
          return new SimpleShardingStrategy(manager);
        },
      },
      rest: {
        api: `${apiUrl.replace(/\/+$/, "")}/api`,
        version: "10",
        timeout: UPLOAD_TIMEOUT_MS,
        makeRequest: timelyRequest,
        // Hermes tries again by itself, and knows what may be repeated.
        retries: 0,
        rejectOnRateLimit: ({ retryAfter, timeToReset }) => Math.max(retryAfter, timeToReset) > LONGEST_WAIT_MS,
      },
    });
    passOverUnreadable(this.client, logger);
    this.#follow();
  }

  /** Known from the first word of Discord's on; throws before that. */
  get identity(): Identity {
    if (this.#identity === null) throw notConnected();
    return this.#identity;
  }

  get health(): AdapterHealth {
    return this.#health;
  }

  /** Resolves when messages are received. */
  async open(signal: AbortSignal): Promise<void> {
    const isReady = once(this.client, Events.ClientReady, { signal });
    // A failed login is reported by itself; the missing ready event then adds nothing.
    isReady.catch(() => {});
    try {
      await Promise.race([this.client.login(this.#token).then(() => isReady), isReady]);
    } catch (thrown) {
      const error = signal.aborted ? thrown : this.#errorOf(thrown);
      this.#health = { state: "down", detail: reasonOf(error) };
      throw error;
    }
    this.#health = { state: "up" };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#health = { state: "down", detail: "The connection to Discord was closed." };
    await this.client.destroy();
  }

  #follow(): void {
    const { client } = this;
    client.ws.on(GatewayDispatchEvents.Ready, ({ user, application }: GatewayReadyDispatchData) => {
      this.#identity = { userId: user.id, applicationId: application.id };
    });
    client.on(Events.ShardDisconnect, ({ code }) => {
      this.#closedWith = code;
      this.#closedForGood(code);
      this.#logger.error({ code }, "Discord closed the connection for good");
    });
    client.on(Events.ShardReconnecting, () => {
      if (this.#health.state !== "up") return;
      this.#health = { state: "degraded", detail: "Not receiving: the connection to Discord is being made anew." };
      this.#logger.info({}, "the connection to Discord is made anew");
    });
    client.on(Events.ShardResume, () => this.#receivesAgain());
    client.on(Events.ShardReady, () => this.#receivesAgain());
    client.rest.on(RESTEvents.Response, ({ data }, { status }) => {
      if (status === 401 && data.auth !== false && this.#health.state !== "starting") this.#isTurnedAway();
    });
    client.on(Events.ShardError, (error) => this.#logger.warn({ reason: reasonOf(error) }, "the connection failed"));
    client.on(Events.Error, (error) => this.#logger.warn({ reason: reasonOf(error) }, "discord.js reports an error"));
  }

  #closedForGood(code: number): void {
    const isUp = this.#health.state !== "starting" && !this.#isClosed;
    if (code === GatewayCloseCodes.AuthenticationFailed && isUp) {
      this.#isTurnedAway();
      return;
    }
    const { message, hint } = this.#closing(code);
    // Sending may still work.
    const state = code === GatewayCloseCodes.AuthenticationFailed ? "down" : "degraded";
    this.#health = { state, detail: `Not receiving: ${message} ${hint} Hermes connects again within 5 minutes.` };
    if (isUp) this.#onEnded(notConnected(), CLOSED_RETRY_MS);
  }

  #receivesAgain(): void {
    if (this.#health.state === "degraded") this.#health = { state: "up" };
  }

  /** discord.js forgets a token that Discord does not take; only a new connection uses it again. */
  #isTurnedAway(): void {
    const error = unauthorised();
    this.#health = { state: "down", detail: `${error.message} ${error.hint}` };
    if (this.#isTold) return;
    this.#isTold = true;
    this.#logger.error({}, "Discord does not take the token any more");
    this.#onEnded(error, 0);
  }

  #errorOf(thrown: unknown): PlatformError {
    if (this.#closedWith !== null) return this.#closing(this.#closedWith);
    return toPlatformError(thrown);
  }

  #closing(code: number): PlatformError {
    switch (code) {
      case GatewayCloseCodes.AuthenticationFailed:
        return unauthorised();
      case GatewayCloseCodes.DisallowedIntents:
        return intentsAreOff();
      default:
        return rejected(
          `it closed the connection with the code ${code}`,
          "Look the code up among Discord's “Gateway Close Event Codes”.",
        );
    }
  }
}

/** Makes a request with the timeout that fits it: a file takes its time. */
const timelyRequest: RESTOptions["makeRequest"] = async (url, init) => {
  const { makeRequest } = DefaultRestOptions;
  if (init.body instanceof FormData) return makeRequest(url, init);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), REQUEST_TIMEOUT_MS);
  try {
    const signals = init.signal ? [timeout.signal, init.signal as AbortSignal] : [timeout.signal];
    return await makeRequest(url, { ...init, signal: AbortSignal.any(signals) });
  } finally {
    clearTimeout(timer);
  }
};

interface Packet {
  readonly t: string;
  readonly d: object;
}

/**
 * Lets discord.js go on where it cannot read an event: it throws at a field that it holds to be there, out of reach of
 * whoever listens. Interactions it need not read at all: Hermes takes them as they come.
 */
function passOverUnreadable(client: Client, logger: Logger): void {
  const manager = client.ws as unknown as { handlePacket(packet?: Packet, shard?: unknown): boolean };
  const handle = manager.handlePacket.bind(manager);
  manager.handlePacket = (packet, shard) => {
    if (packet?.t === GatewayDispatchEvents.InteractionCreate) return true;
    try {
      return handle(packet, shard);
    } catch (error) {
      logger.warn({ event: packet?.t, reason: reasonOf(error) }, "discord.js could not read an event");
      return false;
    }
  };
}

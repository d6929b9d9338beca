import type { Logger } from "@slack/bolt";
import { SocketModeClient } from "@slack/socket-mode";

/** An envelope of socket mode, as Slack's client passes it. */
export interface Envelope {
  readonly type: string;
  readonly body: Record<string, unknown>;
  readonly retry_num?: number;
  readonly retry_reason?: string;
  ack(answer?: unknown): Promise<void>;
}

export interface ConnectionOptions {
  readonly appToken: string;
  readonly apiUrl: string;
  readonly logger: Logger;
  /** The timeout for a pong, in milliseconds. */
  readonly pongWithinMs?: number | undefined;
}

/**
 * One WebSocket, from its opening to its end. {@link SlackSocket} reconnects: Slack's client would do so too, but gives
 * up for good on some errors, backs off without a limit on others, and closes a connection with an announced end before
 * all acknowledgements are sent on it.
 */
export class SocketConnection extends SocketModeClient {
  #lastError: unknown = null;
  /** Called when Slack announces the end of this connection; open another one first. */
  onEndAnnounced: () => void = () => {};
  /** Called when the open connection has ended, for whatever reason. */
  onEnd: (reason: unknown) => void = () => {};
  onEnvelope: (envelope: Envelope) => void = () => {};
  /** The app's id, from Slack's `hello`. */
  appId: string | undefined;

  constructor({ appToken, apiUrl, logger, pongWithinMs = 5_000 }: ConnectionOptions) {
    super({
      appToken,
      logger,
      autoReconnectEnabled: false,
      clientPingTimeout: pongWithinMs,
      clientOptions: {
        slackApiUrl: apiUrl,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        timeout: 30_000,
      },
    });
    this.on("error", (error: unknown) => {
      this.#lastError = error;
    });
    this.on("slack_event", (envelope: Envelope) => this.onEnvelope(envelope));
  }

  /** Whether it can send: a socket may be closing for half a minute. */
  get isOpen(): boolean {
    return this.websocket?.isActive() ?? false;
  }

  /** Connects. Resolves with Slack's `hello`; throws the error that prevented it. */
  async open(): Promise<void> {
    try {
      await this.start();
    } catch (error) {
      throw error ?? this.#lastError ?? new Error("the connection was closed before it was ready");
    }
    this.once("disconnected", () => this.onEnd(this.#lastError));
  }

  /** Drops the connection at once, without further callbacks. */
  drop(): void {
    this.onEnd = () => {};
    this.onEndAnnounced = () => {};
    void this.disconnect();
  }

  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    const { type, connection_info: info } = typeof data === "string" ? ofConnection(data) : {};
    if (type === "disconnect") return this.onEndAnnounced();
    if (type === "hello") this.appId = info?.app_id;
    await super.onWebSocketMessage(data, isBinary);
  }
}

interface OfConnection {
  readonly type?: string;
  readonly connection_info?: { readonly app_id?: string };
}

/** Parses Slack's messages about the connection itself; empty for all others. */
function ofConnection(data: string): OfConnection {
  // Check before parsing: a message may be long, and the client parses it anyway.
  if (!/"(?:disconnect|hello)"/.test(data.slice(0, 200))) return {};
  try {
    return Object(JSON.parse(data)) as OfConnection;
  } catch {
    return {};
  }
}

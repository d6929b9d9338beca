import type { Logger } from "@slack/bolt";
import { SocketModeClient } from "@slack/socket-mode";

/** An envelope of socket mode, as Slack's client hands it on. */
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
  /** How long Slack may take to answer a ping, in milliseconds. */
  readonly pongWithinMs?: number | undefined;
}

/**
 * One WebSocket, from its opening to its end. Slack's client would also connect again, but it gives up on some errors
 * for good, and waits ever longer on others; and it closes a connection whose end was announced while acknowledgements
 * are still to go out on it. Both are left to {@link SlackSocket}.
 */
export class Connection extends SocketModeClient {
  #lastError: unknown = null;
  /** Slack is going to end this connection; another one is to be opened first. */
  onEndAnnounced: () => void = () => {};
  /** It has ended, for whatever reason; not called before it was open. */
  onEnd: (reason: unknown) => void = () => {};
  onEnvelope: (envelope: Envelope) => void = () => {};
  /** Which app it is for, as Slack says in its greeting. */
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

  /** Whether it takes anything: a socket that is closing may stay so for half a minute. */
  get isOpen(): boolean {
    return this.websocket?.isActive() ?? false;
  }

  /** Resolves when Slack has greeted. Throws what kept it from that. */
  async open(): Promise<void> {
    try {
      await this.start();
    } catch (error) {
      throw error ?? this.#lastError ?? new Error("the connection was closed before it was ready");
    }
    this.once("disconnected", () => this.onEnd(this.#lastError));
  }

  /** Lets go of it at once; nobody is called any more. */
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

/** What Slack says of the connection itself; empty for everything else. */
function ofConnection(data: string): OfConnection {
  // A look first: a message may be long, and is parsed by the client anyway.
  if (!/"(?:disconnect|hello)"/.test(data.slice(0, 200))) return {};
  try {
    return Object(JSON.parse(data)) as OfConnection;
  } catch {
    return {};
  }
}

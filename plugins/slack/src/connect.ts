import { type AdapterContext, apiFetch, CatchUp, type Logger, type PluginDeps } from "@hermes/core";
import type { LogLevel, Logger as SdkLogger } from "@slack/bolt";
import { SlackApi } from "./api.ts";
import type { SlackOptions } from "./config.ts";
import { Directory } from "./directory.ts";
import { type Identity, identify } from "./identity.ts";
import { createHistory, type MissedParts } from "./missed.ts";
import { Outbound } from "./outbound.ts";
import { receiveEvents } from "./receive.ts";
import { SlackSocket } from "./socket.ts";
import { HandoffThreads } from "./threads.ts";
import { WritingStatus } from "./writing-status.ts";

/** What is there while the app is connected. */
export interface Connection {
  readonly self: Identity;
  readonly api: SlackApi;
  readonly directory: Directory;
  readonly socket: SlackSocket;
  readonly outbound: Outbound;
  readonly threads: HandoffThreads;
  readonly status: WritingStatus;
  readonly catchUp: CatchUp;
  readonly past: MissedParts;
}

/** How long one call of the Web API may take, in milliseconds. */
const CALL_WITHIN_MS = 30_000;

/** Asks who the bot is, and opens the socket. Resolves when messages come in. Throws a PlatformError. */
export async function connect(
  { options, clock, logger, commands, folder }: PluginDeps<SlackOptions>,
  { receive, choose, retracted, signal, onStop, onHealth }: AdapterContext,
): Promise<Connection> {
  // Only now: a terminal that names this plugin in its config needs none of it.
  const { App, webApi } = await import("@slack/bolt");
  const { botToken, appToken, apiUrl } = options;
  const clientOptions = {
    slackApiUrl: apiUrl,
    logger: sdkLogger(logger),
    // Who waits, for how long and how often is Hermes' to say.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_WITHIN_MS,
    fetch: apiFetch,
  };
  const api = new SlackApi(new webApi.WebClient(botToken, clientOptions), clock);
  const self = await identify(api, signal);
  if (self.missingScopes.length > 0) {
    logger.warn({ missing: self.missingScopes }, "the Slack app lacks scopes; add them and reinstall it");
  }

  const status = new WritingStatus(api, clock);
  const decoding = { self, directory: new Directory(api, clock), commands, files: { botToken, apiUrl, logger } };
  const past = { api, decoding, logger, appId: () => socket.appId };
  const catchUp = new CatchUp({
    folder,
    clock,
    logger,
    receive: (message) => {
      status.heard(message.conversation, message.messageId);
      return receive(message);
    },
    history: createHistory(past),
  });
  catchUp.belongTo(`${self.teamId} ${self.userId}`);
  const socket: SlackSocket = new SlackSocket({
    appToken,
    apiUrl,
    clock,
    logger,
    sdkLogger: sdkLogger(logger),
    onLost: () => catchUp.lost(),
    onConnected: () => catchUp.connected(),
    onHealth,
  });
  const app = new App({
    receiver: socket,
    authorize: async () => ({ botToken, botId: self.botId, botUserId: self.userId, teamId: self.teamId }),
    // Told by the app's id too, which is done where messages are decoded.
    ignoreSelf: false,
    convoStore: false,
    logger: sdkLogger(logger),
    clientOptions,
  });
  receiveEvents(app, { receive, choose, retracted, api, clock, options, decoding, catchUp });

  onStop(() => socket.stop());
  onStop(() => catchUp.stop());
  catchUp.lost();
  await socket.start();
  const threads = new HandoffThreads(api, self, logger);
  const outbound = new Outbound(api, clock, logger, status);
  return { self, api, directory: decoding.directory, socket, outbound, threads, status, catchUp, past };
}

/**
 * What Slack's libraries log, in Hermes' log. Each of their errors comes to the adapter as well, which says what it
 * means; so here it is for whoever looks into a fault. Their debug lines hold whole messages and are left out.
 */
export function sdkLogger(logger: Logger): SdkLogger {
  const write = (...parts: readonly unknown[]) => logger.debug({ from: "slack" }, parts.map(String).join(" "));
  return {
    debug() {},
    info: write,
    warn: write,
    error: write,
    setLevel() {},
    getLevel: () => "info" as LogLevel,
    setName() {},
  };
}

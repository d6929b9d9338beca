import {
  type AdapterContext,
  type AdapterEvents,
  CatchUp,
  type Clock,
  type Logger,
  PlatformError,
  type PluginDeps,
} from "@hermes/core";
import type { LogLevel, Logger as SdkLogger } from "@slack/bolt";
import { SlackApi } from "./api.ts";
import { pressesIn } from "./choices.ts";
import type { SlackOptions } from "./config.ts";
import { Directory } from "./directory.ts";
import { type Identity, identify } from "./identity.ts";
import {
  type DecodeDeps,
  decodeCommand,
  decodeEvent,
  deletedIn,
  isOfWorkspace,
  isWritten,
  type SlackCommand,
  type SlackEventBody,
  type SlackMessageEvent,
} from "./inbound.ts";
import { createHistory, placeOfMessage } from "./missed.ts";
import { Outbound } from "./outbound.ts";
import { SlackSocket } from "./socket.ts";
import { placeOf } from "./source.ts";
import { HandoffThreads } from "./threads.ts";
import { WritingStatus } from "./writing-status.ts";

/** What is there between `start` and `stop`. */
export interface Session {
  readonly self: Identity;
  readonly api: SlackApi;
  readonly directory: Directory;
  readonly socket: SlackSocket;
  readonly outbound: Outbound;
  readonly threads: HandoffThreads;
  readonly status: WritingStatus;
  readonly catchUp: CatchUp;
}

/** How long one call of the Web API may take, in milliseconds. */
const CALL_WITHIN_MS = 30_000;

/** Asks who the bot is, and opens the socket. Resolves when messages come in. Throws a PlatformError. */
export async function connect(
  { options, clock, logger, commands, folder }: PluginDeps<SlackOptions>,
  { receive, choose, retracted, signal, onStop, onHealth }: AdapterContext,
): Promise<Session> {
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
  };
  const api = new SlackApi(new webApi.WebClient(botToken, clientOptions), clock);
  const self = await identify(api, signal);
  if (self.missingScopes.length > 0) {
    logger.warn({ missing: self.missingScopes }, "the Slack app lacks scopes; add them and reinstall it");
  }

  const status = new WritingStatus(api, clock);
  const decoding = { self, directory: new Directory(api, clock), commands, files: { botToken, apiUrl, logger } };
  const catchUp = new CatchUp({
    ...{ folder, clock, logger },
    receive: (message) => {
      status.heard(message.conversation, message.messageId);
      return receive(message);
    },
    history: createHistory({ api, decoding, logger, appId: () => socket.appId }),
  });
  catchUp.belongTo(`${self.teamId} ${self.userId}`);
  const socket: SlackSocket = new SlackSocket({
    ...{ appToken, apiUrl, clock, logger, sdkLogger: sdkLogger(logger) },
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
  const takeEvent = async (event: SlackMessageEvent, body: SlackEventBody) => {
    const { channel, ts } = event;
    // A socket brings the events of every workspace that the app is installed in.
    if (channel === undefined || ts === undefined || !isOfWorkspace(body, self.teamId)) return;
    const deleted = deletedIn(event);
    if (deleted?.ts !== undefined) {
      const { ts: messageId, thread_ts } = deleted;
      const decode = async () => {
        await retracted(placeOf({ channel, ts: messageId, thread_ts }, self.teamId).conversation, messageId);
        return null;
      };
      await catchUp.takeBeside({ place: placeOfMessage(channel, deleted), id: ts, decode });
      return;
    }
    const entry = {
      place: placeOfMessage(channel, event.message ?? event),
      id: ts,
      decode: () => decodeEvent(event, body, decoding),
    };
    await (isWritten(event) ? catchUp.take(entry) : catchUp.takeBeside(entry));
  };
  app.event("message", ({ event, body }) => takeEvent(event as SlackMessageEvent, body));
  app.event("app_mention", ({ event, body }) => takeEvent(event as SlackMessageEvent, body));
  app.command(/^\//, async ({ command, ack }) => {
    const reply = await takeSlashCommand(command as SlackCommand, receive, { api, clock, options, decoding });
    await ack(reply);
  });
  app.action({ type: "block_actions" }, async ({ body }) => {
    for (const press of await pressesIn(body, decoding)) await choose(press);
  });

  onStop(() => socket.stop());
  onStop(() => catchUp.stop());
  catchUp.lost();
  await socket.start();
  const threads = new HandoffThreads(api, self, logger);
  const outbound = new Outbound(api, clock, logger, status);
  return { self, api, directory: decoding.directory, socket, outbound, threads, status, catchUp };
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

/** Slack waits three seconds for the acknowledgement; the look-up gets a part of them, in milliseconds. */
const LOOKED_UP_WITHIN_MS = 1_500;

interface SlashCommandDeps {
  readonly api: SlackApi;
  readonly clock: Clock;
  readonly options: SlackOptions;
  readonly decoding: DecodeDeps;
}

/**
 * Takes a slash command. People can write one anywhere, also where the bot is not and could not answer: then whoever
 * the config knows is told so, by words that only they see. Resolves with those, or undefined.
 */
async function takeSlashCommand(
  command: SlackCommand,
  receive: AdapterEvents["receive"],
  { api, clock, options, decoding }: SlashCommandDeps,
): Promise<string | undefined> {
  const message = decodeCommand(command, clock.now(), decoding);
  if (!message) return undefined;
  if (await canAnswer(api, command.channel_id)) {
    await receive(message);
    return undefined;
  }
  const isKnown = [...options.operators, ...options.allowedUsers].includes(command.user_id);
  return isKnown
    ? `I am not here. Invite me with \`/invite @${decoding.self.name}\`, or write to me directly.`
    : undefined;
}

async function canAnswer(api: SlackApi, channel: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(LOOKED_UP_WITHIN_MS);
    const { channel: found } = await api.call("conversations.info", { channel }, { signal });
    return Object(found).is_member !== false;
  } catch (error) {
    // Only a channel that the bot does not see is one where it cannot answer; of others that is not known.
    return !(error instanceof PlatformError && error.code === "PLATFORM_NOT_FOUND");
  }
}

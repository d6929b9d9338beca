import {
  type AdapterContext,
  CatchUp,
  type Clock,
  type Logger,
  type PluginDeps,
  reasonOf,
  SentLog,
} from "@hermes/core";
import {
  type APIInteraction,
  type Client,
  Events,
  GatewayDispatchEvents,
  type GatewayMessageCreateDispatchData,
  type GatewayMessageDeleteBulkDispatchData,
  type GatewayMessageDeleteDispatchData,
  type GatewayMessageUpdateDispatchData,
  type GatewayReadyDispatchData,
} from "discord.js";
import { Channels, Rights } from "./channels.ts";
import { isPress, takePress } from "./choices.ts";
import { registerCommands, takeInteraction } from "./commands.ts";
import type { DiscordOptions } from "./config.ts";
import { Connection } from "./gateway-connection.ts";
import { createHistory, entryOf, forgetLastMessages } from "./history.ts";
import { type InboundParts, isWorthReading } from "./inbound.ts";
import { Outbound } from "./outbound.ts";
import { conversationIn } from "./source.ts";
import { Threads } from "./threads.ts";

/** Everything that is there while the bot is connected. */
export interface DiscordService {
  readonly client: Client;
  readonly connection: Connection;
  readonly channels: Channels;
  readonly rights: Rights;
  readonly outbound: Outbound;
  readonly threads: Threads;
  readonly catchUp: CatchUp;
}

/** Connects the bot, and resolves when messages are received. Throws a PlatformError when it cannot be connected. */
export async function startService(
  { options, clock, logger, folder, commands, scope }: PluginDeps<DiscordOptions>,
  { receive, choose, retracted, signal, fail, onStop }: AdapterContext,
): Promise<DiscordService> {
  const connection = new Connection(options, logger, (error, retryInMs) => {
    if (retryInMs === 0) fail(error);
    else scope.setTimer(retryInMs, () => fail(error));
  });
  const { client } = connection;
  const channels = new Channels(client);
  const rights = new Rights(client);
  const journal = new SentLog({ folder, clock });
  const commandNames = new Set(commands.map(({ name }) => name));
  const inbound = () => ({ client, channels, identity: connection.identity, commandNames });
  const catchUp = new CatchUp({ folder, clock, logger, receive, history: createHistory(inbound) });
  listen({ connection, channels, catchUp, inbound, retracted, choose, signal, clock, logger });

  onStop(() => journal.close());
  onStop(() => connection.close());
  onStop(() => catchUp.stop());
  await connection.open(signal);
  const { userId, applicationId } = connection.identity;
  if (options.registerCommands) {
    // Without them everything can be written by hand.
    void registerCommands(client, applicationId, commands).catch((error: unknown) => {
      logger.warn({ reason: reasonOf(error) }, "the slash commands could not be registered");
    });
  }
  const follow = (channelId: string) => catchUp.follow(channelId);
  const outbound = new Outbound({ client, channels, rights, journal, userId, onSent: follow });
  const threads = new Threads({ client, channels, rights, journal, outbound, userId, onOpened: follow });
  return { client, connection, channels, rights, outbound, threads, catchUp };
}

interface ListenParts {
  readonly connection: Connection;
  readonly channels: Channels;
  readonly catchUp: CatchUp;
  readonly inbound: () => InboundParts;
  readonly retracted: AdapterContext["retracted"];
  readonly choose: AdapterContext["choose"];
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Takes events as the gateway sends them. discord.js' own message events are made from its cache, and leave out what
 * comes from a thread that it does not know.
 */
function listen({ connection, inbound, retracted, ...parts }: ListenParts): void {
  const { client } = connection;
  const { channels, catchUp } = parts;
  client.ws.on(GatewayDispatchEvents.MessageCreate, (message: GatewayMessageCreateDispatchData) => {
    if (message.guild_id === undefined) channels.rememberDirect(message.channel_id);
    void catchUp.take(entryOf(message, inbound()));
  });
  client.ws.on(GatewayDispatchEvents.MessageUpdate, (message: GatewayMessageUpdateDispatchData) => {
    // Discord's own changes, a preview of a link say, have no time of an edit.
    if (!message.author || !message.edited_timestamp || !isWorthReading(message, inbound())) return;
    if (message.guild_id === undefined) channels.rememberDirect(message.channel_id);
    void catchUp.takeBeside(entryOf(message, inbound(), { isEdit: true }));
  });
  // Who deleted it, Discord does not say: the writer, or a moderator.
  const takeBack = (place: string, id: string) =>
    void catchUp.takeBeside({
      ...{ place, id },
      async decode() {
        const channel = await channels.find(place);
        if (channel !== null) await retracted(conversationIn(channel), id);
        return null;
      },
    });
  client.ws.on(GatewayDispatchEvents.MessageDelete, ({ channel_id: place, id }: GatewayMessageDeleteDispatchData) =>
    takeBack(place, id),
  );
  client.ws.on(
    GatewayDispatchEvents.MessageDeleteBulk,
    ({ channel_id: place, ids }: GatewayMessageDeleteBulkDispatchData) => {
      for (const id of ids) takeBack(place, id);
    },
  );
  client.ws.on(GatewayDispatchEvents.InteractionCreate, (interaction: APIInteraction) => {
    void (isPress(interaction)
      ? takePress(interaction, { ...parts, client })
      : takeInteraction(interaction, { ...parts, client }));
  });
  // A new session, so that nothing is replayed: at the start, and when Discord did not let the former one be resumed.
  client.ws.on(GatewayDispatchEvents.Ready, ({ application }: GatewayReadyDispatchData) => {
    forgetLastMessages(client);
    catchUp.belongTo(application.id);
    catchUp.lost();
    client.once(Events.ShardReady, () => catchUp.connected());
  });
}

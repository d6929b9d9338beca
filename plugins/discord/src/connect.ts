import { type AdapterContext, CatchUp, type InboundMessage, type PluginDeps, reasonOf, SentLog } from "@hermes/core";
import type { Client } from "discord.js";
import { Channels, Rights } from "./channels.ts";
import { registerCommands } from "./commands.ts";
import type { DiscordOptions } from "./config.ts";
import { GatewayConnection } from "./gateway-connection.ts";
import { createHistory, readNow } from "./history.ts";
import { Outbound } from "./outbound.ts";
import { receiveEvents } from "./receive.ts";
import { Threads } from "./threads.ts";

/** What is there while the bot is connected. */
export interface Connection {
  readonly client: Client;
  readonly gateway: GatewayConnection;
  readonly channels: Channels;
  readonly rights: Rights;
  readonly outbound: Outbound;
  readonly threads: Threads;
  readonly catchUp: CatchUp;
  readonly readNow: (kept: InboundMessage, signal: AbortSignal) => ReturnType<typeof readNow>;
}

/** Connects the bot, and resolves when messages are received. Throws a PlatformError when it cannot be connected. */
export async function connect(
  { options, clock, logger, folder, commands, scope }: PluginDeps<DiscordOptions>,
  { receive, choose, retracted, signal, fail, onStop }: AdapterContext,
): Promise<Connection> {
  const gateway = new GatewayConnection(options, logger, (error, retryInMs) => {
    if (retryInMs === 0) fail(error);
    else scope.setTimer(retryInMs, () => fail(error));
  });
  const { client } = gateway;
  const channels = new Channels(client);
  const rights = new Rights(client);
  const journal = new SentLog({ folder, clock });
  const commandNames = new Set(commands.map(({ name }) => name));
  const inbound = () => ({ client, channels, identity: gateway.identity, commandNames });
  const catchUp = new CatchUp({ folder, clock, logger, receive, history: createHistory(inbound) });
  receiveEvents({ client, channels, catchUp, inbound, retracted, choose, signal, clock, logger });

  onStop(() => journal.close());
  onStop(() => gateway.close());
  onStop(() => catchUp.stop());
  await gateway.open(signal);
  const { userId, applicationId } = gateway.identity;
  if (options.registerCommands) {
    // Without them everything can be written by hand.
    void registerCommands(client, applicationId, commands).catch((error: unknown) => {
      logger.warn({ reason: reasonOf(error) }, "the slash commands could not be registered");
    });
  }
  const follow = (channelId: string) => catchUp.follow(channelId);
  const outbound = new Outbound({ client, channels, rights, journal, userId, onSent: follow });
  const threads = new Threads({ client, channels, rights, journal, outbound, userId, onOpened: follow });
  return {
    ...{ client, gateway, channels, rights, outbound, threads, catchUp },
    readNow: (...asked) => readNow(inbound(), ...asked),
  };
}

import type { AdapterContext, CatchUp, Clock, Logger } from "@hermes/core";
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
import type { Channels } from "./channels.ts";
import { isPress, takePress } from "./choices.ts";
import { takeInteraction } from "./commands.ts";
import { entryOf, forgetLastMessages } from "./history.ts";
import { type InboundParts, isWorthReading } from "./inbound.ts";
import { conversationIn } from "./source.ts";

interface ReceiveParts {
  readonly client: Client;
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
export function receiveEvents(parts: ReceiveParts): void {
  const { client, channels, catchUp, inbound, retracted } = parts;
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
      place,
      id,
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
    void (isPress(interaction) ? takePress(interaction, parts) : takeInteraction(interaction, parts));
  });
  // A new session, so that nothing is replayed: at the start, and when Discord did not let the former one be resumed.
  client.ws.on(GatewayDispatchEvents.Ready, ({ application }: GatewayReadyDispatchData) => {
    forgetLastMessages(client);
    catchUp.belongTo(application.id);
    catchUp.lost();
    client.once(Events.ShardReady, () => catchUp.connected());
  });
}

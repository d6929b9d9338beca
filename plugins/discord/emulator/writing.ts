import { CannotEmulate, type EmulatedInbound } from "@hermes/emulator";
import { type ApiContext, tellMessage } from "./api.ts";
import { keptFile } from "./attachments.ts";
import type { Deliveries } from "./deliveries.ts";
import { INTENT } from "./gateway.ts";
import { appendMessage } from "./messages.ts";
import { channelPayload } from "./payloads.ts";
import { setArchivedAt } from "./threads.ts";
import { BOT, type ChannelRecord, isForum, isThread, type MessageRecord, PERSON, type World } from "./world.ts";

/** What only Discord has of a message that a person writes. */
export interface DiscordInbound extends EmulatedInbound {
  /** The message as the API shows it gets these fields besides. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Where what people write goes. */
export interface WritingContext {
  readonly api: ApiContext;
  readonly deliveries: Deliveries;
}

/** Interactions come whatever a client has asked for. */
export const ANY_INTENT = ~0;

/** Who writes or presses something there; the world knows the name from then on. */
export function personIn(
  world: World,
  channel: ChannelRecord,
  { userId, userName }: Pick<DiscordInbound, "userId" | "userName">,
): { readonly id: string; readonly name: string } {
  const id = userId ?? channel.recipientId ?? PERSON.id;
  const name = userName ?? world.people.get(id) ?? `Person ${id}`;
  world.people.set(id, name);
  return { id, name };
}

/**
 * Lets somebody write in a channel. A text that begins with a registered command becomes an interaction, as it does in
 * Discord's own clients.
 */
export function write(
  { api, deliveries }: WritingContext,
  channel: ChannelRecord,
  inbound: DiscordInbound,
): { readonly messageId: string } {
  const { world, interactions } = api;
  const person = personIn(world, channel, inbound);
  if (isForum(channel)) throw new Error(`Nobody can write in ${channel.name} itself: it is a forum.`);

  if (inbound.editOf !== undefined) {
    const edited = edit(api, channel, inbound.editOf, inbound);
    deliveries.deliver(() => tellMessage(api, "MESSAGE_UPDATE", channel, edited));
    return { messageId: edited.id };
  }
  const isTyped = !inbound.isBot && !inbound.isOwn && !inbound.forwarded;
  const command = !isTyped ? null : interactions.start(channel, person, inbound.text);
  if (command) {
    deliveries.deliver(() => api.tell("INTERACTION_CREATE", command, ANY_INTENT));
    return { messageId: String(command.id) };
  }
  if (channel.archived) setArchived(api, channel, false);
  const message = append(api, channel, inbound, person);
  deliveries.deliver(() => tellMessage(api, "MESSAGE_CREATE", channel, message));
  return { messageId: message.id };
}

/** Archives a thread, or brings it back, and tells the client. */
export function setArchived({ world, tell }: ApiContext, thread: ChannelRecord, archived: boolean): void {
  if (!isThread(thread)) throw new CannotEmulate(`${thread.name} is no thread, and cannot be archived.`);
  setArchivedAt(world, thread, archived);
  tell("THREAD_UPDATE", channelPayload(world, thread), INTENT.guilds);
}

function append(
  { world }: ApiContext,
  channel: ChannelRecord,
  inbound: DiscordInbound,
  person: { readonly id: string; readonly name: string },
): MessageRecord {
  const webhookId = inbound.isOwn ? world.nextId() : null;
  return appendMessage(world, channel, {
    // A webhook is an author of its own.
    authorId: webhookId ?? person.id,
    authorName: person.name,
    isBot: inbound.isBot === true,
    content: inbound.forwarded ? "" : textOf(inbound),
    forwarded: inbound.forwarded ? textOf(inbound) : null,
    type: inbound.replyTo === undefined ? 0 : 19,
    replyTo: inbound.replyTo ?? null,
    mentionsBot: inbound.mentions === true,
    ...(inbound.fields && { fields: inbound.fields }),
    webhookId,
    attachments: filesOf(world, inbound) ?? [],
  });
}

function filesOf(world: World, { files }: EmulatedInbound) {
  return files?.map(({ name, mediaType, content }) =>
    keptFile(world, { name, mediaType, content: Buffer.from(content) }),
  );
}

function textOf({ mentions, text }: EmulatedInbound): string {
  return mentions ? `<@${BOT.id}> ${text}` : text;
}

function edit(
  { world }: ApiContext,
  channel: ChannelRecord,
  messageId: string,
  inbound: EmulatedInbound,
): MessageRecord {
  const message = channel.messages.find(({ id }) => id === messageId);
  if (!message) throw new Error(`There is no message ${messageId}.`);
  message.content = textOf(inbound);
  message.attachments = filesOf(world, inbound) ?? message.attachments;
  message.editedAt = world.clock.now();
  return message;
}

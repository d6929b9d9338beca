import { BOT_RIGHTS, RIGHTS } from "./rights.ts";
import {
  BOT,
  BOT_ROLE_ID,
  type ChannelRecord,
  GUILD,
  isThread,
  type MessageRecord,
  PERSON,
  type World,
} from "./world.ts";

/** The line in a channel that says that a thread began there. */
export const THREAD_CREATED = 18;

type Payload = Record<string, unknown>;

export function userPayload(id: string, name: string, isBot: boolean): Payload {
  return { id, username: name.toLowerCase(), global_name: name, discriminator: "0", avatar: null, bot: isBot };
}

export function botUser(): Payload {
  return userPayload(BOT.id, BOT.name, true);
}

export function channelPayload(world: World, channel: ChannelRecord): Payload {
  const { id, type, guildId, parentId } = channel;
  const last = channel.messages.at(-1)?.id ?? null;
  if (guildId === null) {
    const recipient = channel.recipientId ?? PERSON.id;
    const name = world.people.get(recipient) ?? recipient;
    return { id, type, last_message_id: last, recipients: [userPayload(recipient, name, false)] };
  }
  const common = { id, type, guild_id: guildId, name: channel.name, last_message_id: last };
  if (isThread(channel)) {
    return {
      ...common,
      parent_id: parentId,
      owner_id: channel.ownerId,
      message_count: channel.messages.length,
      member_count: 1,
      rate_limit_per_user: 0,
      applied_tags: channel.appliedTags,
      thread_metadata: {
        archived: channel.archived,
        locked: channel.locked,
        auto_archive_duration: 1440,
        archive_timestamp: new Date(channel.archivedAt).toISOString(),
      },
    };
  }
  return {
    ...common,
    position: 0,
    parent_id: null,
    topic: null,
    nsfw: false,
    flags: channel.requiresTag ? 1 << 4 : 0,
    available_tags: channel.tags.map((tag) => ({ ...tag, emoji_id: null, emoji_name: null })),
    permission_overwrites:
      channel.denied === 0n ? [] : [{ id: BOT.id, type: 1, allow: "0", deny: String(channel.denied) }],
  };
}

/** A channel that the bot does not see. */
const ELSEWHERE = "1";

/** A message as `GET` has it: the nonce is not kept with it. */
export function messagePayload(channel: ChannelRecord, message: MessageRecord, baseUrl: string): Payload {
  const replied = channel.messages.find(({ id }) => id === message.replyTo);
  const attachments = message.attachments.map(({ id, name, title, mediaType, content }) => ({
    id,
    filename: name,
    ...(title !== null && { title }),
    content_type: mediaType,
    size: content.length,
    url: `${baseUrl}/attachments/${id}/${encodeURIComponent(name)}`,
    proxy_url: `${baseUrl}/attachments/${id}/${encodeURIComponent(name)}`,
  }));
  return {
    id: message.id,
    channel_id: channel.id,
    type: message.type,
    content: message.content,
    author: userPayload(message.authorId, message.authorName, message.isBot),
    timestamp: new Date(message.sentAt).toISOString(),
    edited_timestamp: message.editedAt === null ? null : new Date(message.editedAt).toISOString(),
    tts: false,
    mention_everyone: false,
    mentions: message.mentionsBot ? [botUser()] : [],
    mention_roles: [],
    embeds: [],
    components: message.components,
    pinned: false,
    flags: message.flags,
    attachments,
    ...message.fields,
    ...(message.webhookId === null ? {} : { webhook_id: message.webhookId, application_id: BOT.applicationId }),
    ...(message.type === THREAD_CREATED && {
      message_reference: { type: 0, channel_id: message.threadId, guild_id: channel.guildId },
    }),
    ...(message.forwarded !== null &&
      message.forwarded !== undefined && {
        message_reference: { type: 1, message_id: "1", channel_id: ELSEWHERE, guild_id: channel.guildId },
        attachments: [],
        message_snapshots: [{ message: { content: message.forwarded, mentions: [], type: 0, attachments } }],
      }),
    ...(message.replyTo === null
      ? {}
      : {
          message_reference: { type: 0, message_id: message.replyTo, channel_id: channel.id },
          referenced_message: replied ? messagePayload(channel, replied, baseUrl) : null,
        }),
  };
}

export function rolePayloads(): Payload[] {
  return [
    rolePayload(GUILD.id, "@everyone", RIGHTS.ViewChannel, {}),
    rolePayload(BOT_ROLE_ID, BOT.name, BOT_RIGHTS, { managed: true, tags: { bot_id: BOT.id } }),
  ];
}

/** The bot as a member of the server. */
export function ownMember(world: World): Payload {
  const joinedAt = new Date(world.startedAt).toISOString();
  const { timedOutUntil } = world;
  const until = timedOutUntil === 0 ? null : new Date(timedOutUntil).toISOString();
  const member = { user: botUser(), roles: [BOT_ROLE_ID], joined_at: joinedAt, deaf: false, mute: false, flags: 0 };
  return { ...member, communication_disabled_until: until };
}

/** The application that the bot belongs to ("Get Current Application"). */
export function applicationPayload(world: World): Payload {
  // The intent is on, for a bot in fewer than a hundred servers ("Application Flags").
  const flags = world.isMessageContentAllowed ? 1 << 19 : 0;
  const more = { description: "", bot_public: true, bot_require_code_grant: false, approximate_guild_count: 1 };
  return { id: BOT.applicationId, name: BOT.name, icon: null, flags, bot: botUser(), ...more };
}

/** A server in the list of the bot's own ("Get Current User Guilds"). */
export function ownGuildPayload(): Payload {
  return { id: GUILD.id, name: GUILD.name, icon: null, owner: false, permissions: String(BOT_RIGHTS), features: [] };
}

/** What GUILD_CREATE carries. */
export function guildPayload(world: World): Payload {
  const channels = [...world.channels.values()].filter(({ guildId }) => guildId === GUILD.id);
  const joinedAt = new Date(world.startedAt).toISOString();
  return {
    id: GUILD.id,
    name: GUILD.name,
    owner_id: PERSON.id,
    icon: null,
    features: [],
    roles: rolePayloads(),
    emojis: [],
    stickers: [],
    channels: channels.filter((one) => !isThread(one)).map((one) => channelPayload(world, one)),
    threads: channels.filter((one) => isThread(one) && !one.archived).map((one) => channelPayload(world, one)),
    members: [ownMember(world)],
    member_count: 2,
    joined_at: joinedAt,
    large: false,
    unavailable: false,
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw_level: 0,
    premium_tier: world.boostLevel,
    premium_progress_bar_enabled: false,
    preferred_locale: "en-US",
    system_channel_flags: 0,
    system_channel_id: null,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    afk_channel_id: null,
    afk_timeout: 300,
  };
}

function rolePayload(id: string, name: string, rights: bigint, more: Payload): Payload {
  return {
    id,
    name,
    permissions: String(rights),
    position: 0,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    mentionable: false,
    managed: false,
    flags: 0,
    ...more,
  };
}

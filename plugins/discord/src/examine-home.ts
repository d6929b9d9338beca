import { type Findings, type HomeChannel, shortName } from "@hermes/core";
import type {
  APIChannel,
  APIGuildMember,
  APIRole,
  APIThreadChannel,
  APIUser,
  RESTAPIPartialCurrentUserGuild,
} from "discord.js";
import type { DiscordOptions } from "./config.ts";
import type { DiscordReader } from "./discord-reader.ts";
import { forumTag } from "./forum-tag.ts";
import { KIND } from "./kinds.ts";
import { labelOf, missingRights, NEEDED, type Overwrite, type Right, type RightsSource, WRITING } from "./rights.ts";
import { CHANNEL_RIGHTS, COPY_ID, OTHER_HOME } from "./settings.ts";
import { isForum, isSnowflake, isThread } from "./source.ts";

/** Servers in which a person is looked for; in more, nothing is said of whether one is shared. */
const MOST_SERVERS = 10;

export interface HomeLookParts {
  readonly api: DiscordReader;
  readonly me: APIUser;
  readonly guilds: readonly RESTAPIPartialCurrentUserGuild[];
  readonly invite: string;
  readonly options: DiscordOptions;
  readonly found: Findings;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** A channel of a server, with what decides on the bot's rights in it. */
interface GuildPlace {
  readonly channel: APIChannel;
  /** `#general`, or `“Fix the build” in #general`. */
  readonly name: string;
  readonly isInForum: boolean;
  readonly source: RightsSource;
}

/** Looks at the channel, the thread or the person that handoffs land with. */
export class HomeLook {
  readonly #parts: HomeLookParts;

  constructor(parts: HomeLookParts) {
    this.#parts = parts;
  }

  async examine(home: HomeChannel): Promise<void> {
    const { api, found } = this.#parts;
    const id = home.threadId ?? home.chatId;
    if (!isSnowflake(id)) return found.problem(`“${shortName(id)}” is no id of a channel or a person.`, COPY_ID);
    const channel = await api.find<APIChannel>(`/channels/${id}`);
    if (channel === null) return this.#examinePerson(id);
    if (channel.type === KIND.dm) return this.#tellPerson(channel.recipients?.[0]);
    if (!NEEDED[channel.type]) return found.problem(`#${nameOf(channel)} is no channel to write in.`, OTHER_HOME);
    await this.#examineChannel(channel, home);
  }

  /** Direct messages are opened by the gateway, which would change something here. */
  async #examinePerson(id: string): Promise<void> {
    const { api, found, guilds, invite } = this.#parts;
    const person = await api.find<APIUser>(`/users/${id}`);
    if (person === null) {
      found.problem(
        `There is no channel or person ${id} that the bot can see.`,
        `${COPY_ID} The invitation: ${invite}`,
      );
      return;
    }
    for (const guild of guilds.slice(0, MOST_SERVERS)) {
      if (await api.find(`/guilds/${guild.id}/members/${id}`)) return this.#tellPerson(person);
    }
    if (guilds.length > MOST_SERVERS) return this.#tellPerson(person);
    const message = `The home channel is ${personName(person)}, who shares no server with the bot.`;
    found.problem(message, `Invite it to a server that they are in: ${invite}`);
  }

  #tellPerson(person: APIUser | undefined): void {
    this.#parts.found.ok(`The home channel is the direct messages with ${person ? personName(person) : "a person"}.`);
  }

  async #examineChannel(channel: APIChannel, home: HomeChannel): Promise<void> {
    const { found } = this.#parts;
    const place = await this.#placeOf(channel);
    if (place === null) {
      found.problem(`The bot lacks View Channel where the thread “${nameOf(channel)}” is.`, CHANNEL_RIGHTS);
      return;
    }
    const lacking = lackingToWrite(place);
    if (lacking.length > 0) {
      found.problem(`The bot lacks ${listed(lacking, place)} in ${place.name}, the home channel.`, CHANNEL_RIGHTS);
    } else if (isLocked(place)) {
      found.problem(
        `The home channel, ${place.name}, is locked.`,
        "Unlock the thread, or choose another home channel.",
      );
    } else {
      const kind = channel.type === KIND.privateThread ? "the private thread " : "";
      found.ok(`The home channel is ${kind}${place.name}, and the bot may write there.`);
      this.#tellUses(place, home);
    }
    if (isForum(channel)) await found.during(async () => void forumTag(channel, home));
    this.#tellReaders(place, home);
  }

  /** Null for a thread in a channel that the bot does not see. */
  async #placeOf(channel: APIChannel): Promise<GuildPlace | null> {
    const { api, me, now } = this.#parts;
    const { guild_id: guildId = "", parent_id: parentId } = channel as APIThreadChannel;
    const parent = isThread(channel) && parentId ? await api.find<APIChannel>(`/channels/${parentId}`) : channel;
    if (parent === null) return null;
    const [roles, member] = await Promise.all([
      api.get<APIRole[]>(`/guilds/${guildId}/roles`),
      api.get<APIGuildMember>(`/guilds/${guildId}/members/${me.id}`),
    ]);
    const { permission_overwrites: overwrites = [] } = parent as { readonly permission_overwrites?: Overwrite[] };
    const until = Date.parse(member.communication_disabled_until ?? "");
    const source = { guildId, userId: me.id, memberRoles: member.roles, roles, overwrites, isTimedOut: until > now };
    const name = parent === channel ? `#${nameOf(channel)}` : `“${nameOf(channel)}” in #${nameOf(parent)}`;
    return { channel, name, isInForum: isForum(parent), source };
  }

  /** What works less well without a right. */
  #tellUses(place: GuildPlace, { requireThread }: HomeChannel): void {
    const { found } = this.#parts;
    const without = (needed: readonly Right[], state: "warning" | "problem", consequence: string) => {
      const missing = missingRights(needed, place.source);
      if (missing.length === 0) return;
      found[state](`The bot lacks ${listed(missing, place)} in ${place.name}: ${consequence}.`, CHANNEL_RIGHTS);
    };
    if (!isThread(place.channel) && !isForum(place.channel)) {
      const threads: readonly Right[] = ["CreatePublicThreads", "SendMessagesInThreads"];
      if (requireThread) without(threads, "problem", "no handoff can land there");
      else without(threads, "warning", "a handoff lands in the channel itself");
      without(["SendMessages"], "warning", "nothing is said outside of threads");
    }
    without(["ReadMessageHistory"], "warning", "what is written while no gateway runs is not read later");
    without(["AttachFiles"], "warning", "files are not sent");
  }

  /** A bot without a further intent is not told who is in a server. */
  #tellReaders({ name, channel }: GuildPlace, { shared }: HomeChannel): void {
    const { found, options } = this.#parts;
    const readers = channel.type === KIND.privateThread ? "who is in it" : "who sees that channel";
    if (shared) found.ok(`What is handed off there is read by everybody ${readers}.`);
    else {
      const message = `Everybody ${readers} would read each session that is handed off to ${name}.`;
      found.problem(message, "If that is intended, set `shared: true` on it.");
    }
    if (options.allowedUsers.length > 0 || options.operators.length > 0) return;
    found.warning(
      "The config names nobody whom the bot answers in servers.",
      "Put your own user id (User Settings, Advanced, Developer Mode; then Copy User ID) into `operators`.",
    );
  }
}

function lackingToWrite({ channel, source }: GuildPlace): Right[] {
  const missing = (needed: readonly Right[]) => missingRights(needed, source);
  const lacking = missing(NEEDED[channel.type] ?? []);
  if (lacking.length > 0 || isForum(channel) || isThread(channel)) return lacking;
  return WRITING.some((way) => missing(way).length === 0) ? [] : ["SendMessages"];
}

/** Whoever manages threads writes in a locked one too. */
function isLocked({ channel, source }: GuildPlace): boolean {
  const { thread_metadata: metadata } = channel as Partial<APIThreadChannel>;
  return metadata?.locked === true && missingRights(["ManageThreads"], source).length > 0;
}

function listed(rights: readonly Right[], { isInForum }: GuildPlace): string {
  return new Intl.ListFormat("en-GB").format(rights.map((right) => labelOf(right, isInForum)));
}

function nameOf({ name }: APIChannel): string {
  return shortName(name ?? "");
}

function personName({ global_name: name, username }: APIUser): string {
  return shortName(name ?? username);
}

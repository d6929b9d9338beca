import { type Examination, Findings, PlatformError, type PluginSetupContext, shortName } from "@hermes/core";
// Types alone: the library itself is not loaded.
import type { APIApplication, APIUser, RESTAPIPartialCurrentUserGuild } from "discord.js";
import type { DiscordOptions } from "./config.ts";
import { DiscordReader } from "./discord-reader.ts";
import { HomeLook } from "./examine-home.ts";
import { inviteLink } from "./rights.ts";
import { MESSAGE_CONTENT, RESET_TOKEN } from "./settings.ts";

/** Flags of an application ("Application Flags"): the intent is on, for a verified bot and for one in few servers. */
const MAY_READ_MESSAGES = (1 << 18) | (1 << 19);

/** Looks the bot, its servers and its home channel over by calls that only read. Opens no connection to the gateway. */
export async function examine(options: DiscordOptions, { clock, signal }: PluginSetupContext): Promise<Examination> {
  const found = new Findings();
  const api = new DiscordReader(options, signal);
  await found.during(async () => {
    const me = await ownUser(api);
    if (me === null) {
      found.problem("Discord does not accept the token.", RESET_TOKEN);
      return;
    }
    found.account = { id: me.id, name: `@${me.username}`, link: `https://discord.com/users/${me.id}` };
    found.ok(`Discord accepts the token: the bot is @${me.username}.`);
    const { id, flags = 0 } = await api.get<APIApplication>("/applications/@me");
    if ((flags & MAY_READ_MESSAGES) !== 0) found.ok("Its Message Content Intent is on.");
    else found.problem("The bot may not read messages: its Message Content Intent is off.", MESSAGE_CONTENT);
    const guilds = await api.get<RESTAPIPartialCurrentUserGuild[]>("/users/@me/guilds");
    tellServers(guilds, inviteLink(id), found);
    const { homeChannel: home } = options;
    if (home === undefined) return;
    const look = new HomeLook({ api, me, guilds, invite: inviteLink(id), options, found, now: clock.now() });
    await found.during(() => look.examine(home));
  });
  return found.toExamination();
}

/** Null where the token is not accepted. */
async function ownUser(api: DiscordReader): Promise<APIUser | null> {
  try {
    return await api.get<APIUser>("/users/@me");
  } catch (error) {
    if (error instanceof PlatformError && error.code === "PLATFORM_UNAUTHORISED") return null;
    throw error;
  }
}

function tellServers(guilds: readonly RESTAPIPartialCurrentUserGuild[], invite: string, found: Findings): void {
  const [first, ...others] = guilds;
  if (first === undefined) found.warning("The bot is in no server.", `Open this page and choose yours: ${invite}`);
  else if (others.length === 0) found.ok(`The bot is in the server “${shortName(first.name)}”.`);
  else found.ok(`The bot is in ${guilds.length} servers.`);
}

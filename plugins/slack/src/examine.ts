import {
  askApi,
  type Examination,
  Findings,
  type HomeChannel,
  PlatformError,
  type PluginSetupContext,
  platformErrors,
  shortName,
} from "@hermes/core";
import type { SlackOptions } from "./config.ts";
import { toPlatformError } from "./errors.ts";
import { isPerson } from "./home.ts";
import { SCOPES } from "./identity.ts";
import { PLATFORM } from "./source.ts";

const errors = platformErrors(PLATFORM);

/**
 * Checks both tokens and the home channel by methods that only read. `apps.connections.open` returns an address that is
 * not connected to: a socket would take events away from a running gateway.
 */
export async function examine(options: SlackOptions, { signal }: PluginSetupContext): Promise<Examination> {
  const found = new Findings();
  const api = new SlackReader(options, options.botToken, signal);
  await found.during(async () => {
    const isKnown = await examineBotToken(api, options, found);
    await found.during(() => examineAppToken(new SlackReader(options, options.appToken, signal), found));
    const { homeChannel: home } = options;
    if (isKnown && home !== undefined) await found.during(() => examineHome(api, home, options, found));
  });
  return found.toExamination();
}

/** Checks the bot token. */
async function examineBotToken(api: SlackReader, { appToken }: SlackOptions, found: Findings): Promise<boolean> {
  const answer = await api.accepted("auth.test");
  if (answer === null) {
    found.problem(
      "Slack does not accept the bot token.",
      "Copy the “Bot User OAuth Token” again: https://api.slack.com/apps, your app, OAuth & Permissions.",
    );
    return false;
  }
  const { team, team_id: teamId, user, user_id: userId, bot_id: botId } = answer.result;
  const appId = await appIdOf(api, String(botId));
  const link = appId === null ? {} : { link: `https://slack.com/app_redirect?app=${appId}&team=${teamId}` };
  found.account = { id: String(userId), name: `@${user}`, ...link };
  found.ok(`Slack accepts the bot token: the bot is @${user} in the workspace “${shortName(String(team))}”.`);
  const missing = SCOPES.filter((scope) => answer.scopes?.includes(scope) === false);
  if (missing.length > 0) {
    found.problem(
      `The app lacks the ${missing.length === 1 ? "scope" : "scopes"} ${missing.join(", ")}.`,
      "Add what is missing under “OAuth & Permissions”, Bot Token Scopes, and reinstall the app to the workspace.",
    );
  }
  // An app-level token contains the app's id.
  const [, ofAppToken] = /^xapp-\d+-(A[A-Z0-9]+)-/.exec(appToken) ?? [];
  if (appId !== null && ofAppToken !== undefined && ofAppToken !== appId) {
    const message = `The tokens are of two apps: the bot token is of ${appId}, the app-level token of ${ofAppToken}.`;
    found.problem(message, "Take both from the same app at https://api.slack.com/apps.");
  }
  return true;
}

/** Null if Slack does not tell, since nothing depends on it. */
async function appIdOf(api: SlackReader, bot: string): Promise<string | null> {
  try {
    const { app_id: appId } = Object((await api.call("bots.info", { bot })).result.bot);
    return typeof appId === "string" ? appId : null;
  } catch (error) {
    if (error instanceof PlatformError && !error.retryable) return null;
    throw error;
  }
}

async function examineAppToken(app: SlackReader, found: Findings): Promise<void> {
  const again = "https://api.slack.com/apps, your app, Basic Information, App-Level Tokens";
  try {
    if ((await app.accepted("apps.connections.open")) !== null) {
      found.ok("Slack accepts the app-level token.");
      return;
    }
    found.problem("Slack does not accept the app-level token (xapp-…).", `Copy it again: ${again}.`);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== "PLATFORM_FORBIDDEN") throw error;
    const message = "The app-level token lacks the scope connections:write, without which nothing is received.";
    found.problem(message, `Generate another with that scope: ${again}.`);
  }
}

/** A conversation, as `conversations.info` returns it. */
interface ChannelInfo {
  readonly name?: string;
  readonly user?: string;
  readonly num_members?: number;
  readonly is_archived?: boolean;
  readonly is_im?: boolean;
  readonly is_mpim?: boolean;
  readonly is_member?: boolean;
  readonly is_private?: boolean;
}

async function examineHome(api: SlackReader, home: HomeChannel, options: SlackOptions, found: Findings): Promise<void> {
  const { chatId, threadId } = home;
  if (/^[UW]/.test(chatId)) throw isPerson(chatId);
  const { result } = await api.call("conversations.info", { channel: chatId, include_num_members: "true" });
  const info = Object(result.channel) as ChannelInfo;
  const name = info.is_im ? `the direct message with ${await personName(api, info.user)}` : nameOf(info);
  if (info.is_archived) {
    found.problem(`The home channel, ${name}, is archived.`, "Unarchive it in Slack, or choose another one.");
  } else if (!info.is_im && !info.is_mpim && info.is_member === false) {
    const bot = found.account?.name ?? "@hermes";
    found.problem(`The bot is not in ${name}, the home channel.`, `Write \`/invite ${bot}\` in that channel.`);
  } else {
    found.ok(`The home channel is ${name}, and the bot is in it.`);
    if (threadId !== undefined) await examineThread(api, chatId, threadId, found);
  }
  if (!info.is_im) tellReaders(info, home, options, found);
}

async function examineThread(api: SlackReader, channel: string, ts: string, found: Findings): Promise<void> {
  try {
    await api.call("conversations.replies", { channel, ts, limit: "1" });
    found.ok("The thread that it names is there.");
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== "PLATFORM_THREAD_GONE") throw error;
    const hint = "Write `!sethome` in another thread, or leave `threadId` out of `homeChannel`.";
    found.problem("The thread that the home channel names is gone.", hint);
  }
}

function tellReaders(info: ChannelInfo, { shared }: HomeChannel, options: SlackOptions, found: Findings): void {
  const readers = info.num_members === undefined ? "Its members" : `Its ${info.num_members} members`;
  if (shared) found.ok(`${readers} read what is handed off there.`);
  else {
    const message = `${readers} would read each session that is handed off to ${nameOf(info)}.`;
    found.problem(message, "If that is intended, set `shared: true` on it.");
  }
  if (options.allowedUsers.length > 0 || options.operators.length > 0) return;
  found.warning(
    "The config names nobody whom the bot answers in channels.",
    "Put your member id (your picture, Profile, ⋮, Copy member ID) into `operators`.",
  );
}

function nameOf({ name = "", is_private: isPrivate }: ChannelInfo): string {
  return `${isPrivate ? "the private channel " : ""}#${shortName(name)}`;
}

async function personName(api: SlackReader, user: string | undefined): Promise<string> {
  if (user === undefined) return "a person";
  const { result } = await api.call("users.info", { user });
  const { profile, real_name: realName, name } = Object(result.user);
  return shortName(String(profile?.display_name || realName || name || user));
}

/** A method's answer beside `ok`, and the scopes of the token; null if Slack told none. */
interface SlackAnswer {
  readonly result: Readonly<Record<string, unknown>>;
  readonly scopes: readonly string[] | null;
}

/** Calls methods of the Web API that only read, by `fetch`. Throws PlatformErrors, which hold no token. */
class SlackReader {
  readonly #apiUrl: string;
  readonly #token: string;
  readonly #signal: AbortSignal;

  /** `token`: the bot's, or the app's. */
  constructor({ apiUrl }: Pick<SlackOptions, "apiUrl">, token: string, signal: AbortSignal) {
    this.#apiUrl = apiUrl.replace(/\/*$/, "/");
    this.#token = token;
    this.#signal = signal;
  }

  async call(method: string, args: Readonly<Record<string, string>> = {}): Promise<SlackAnswer> {
    const { body, status, headers } = await askApi(PLATFORM, `${this.#apiUrl}${method}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}` },
      // A form, since methods that read accept no JSON.
      body: new URLSearchParams(args),
      signal: this.#signal,
    });
    if (status === 429) throw errors.rateLimited(Number(headers.get("retry-after") ?? 1) * 1_000);
    const result = Object(body) as Readonly<Record<string, unknown>>;
    if (result.ok === true) return { result, scopes: headers.get("x-oauth-scopes")?.split(/,\s*/) ?? null };
    if (result.ok !== false) throw errors.unavailable("what answered is not the Web API");
    throw toPlatformError({ code: "slack_webapi_platform_error", data: result }, { method, channel: args.channel });
  }

  /** Calls a method; null if it does not accept the token. */
  async accepted(method: string): Promise<SlackAnswer | null> {
    return this.call(method).catch((error: unknown) => {
      if (error instanceof PlatformError && error.code === "PLATFORM_UNAUTHORISED") return null;
      throw error;
    });
  }
}

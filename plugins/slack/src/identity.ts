import type { SlackApi } from "./api.ts";

/** Who the bot is in its workspace. */
export interface Identity {
  readonly teamId: string;
  readonly userId: string;
  readonly botId: string;
  /** `https://acme.slack.com/` */
  readonly url: string;
  /** What people call the bot. */
  readonly name: string;
  /** Scopes of the manifest that the token has not. */
  readonly missingScopes: readonly string[];
}

/** Asks Slack whose token it is. */
export async function identify(api: SlackApi, signal: AbortSignal): Promise<Identity> {
  const answer = await api.call("auth.test", {}, { signal });
  const { team_id: teamId, user_id: userId, bot_id: botId, url, user } = answer;
  // Slack tells in a header what a token may do, which its client puts here.
  const scopes = answer.response_metadata?.scopes;
  return {
    teamId: String(teamId),
    userId: String(userId),
    botId: String(botId),
    url: String(url),
    name: String(user),
    missingScopes: scopes === undefined ? [] : SCOPES.filter((scope) => !scopes.includes(scope)),
  };
}

/** What the app may do in its workspace; manifest.json asks for the same, and a test holds the two together. */
export const SCOPES: readonly string[] = [
  "app_mentions:read",
  "channels:history",
  "channels:read",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "mpim:history",
  "mpim:read",
  "users:read",
];

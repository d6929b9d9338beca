import type { SlackApi } from "./api.ts";

/** The bot's identity in its workspace. */
export interface Identity {
  readonly teamId: string;
  readonly userId: string;
  readonly botId: string;
  /** `https://acme.slack.com/` */
  readonly url: string;
  /** The bot's name, as people see it. */
  readonly name: string;
  /** Scopes of the manifest that the token lacks. */
  readonly missingScopes: readonly string[];
}

/** Asks Slack for the identity behind a token. */
export async function identify(api: SlackApi, signal: AbortSignal): Promise<Identity> {
  const answer = await api.call("auth.test", {}, { signal });
  const { team_id: teamId, user_id: userId, bot_id: botId, url, user } = answer;
  // The client puts the header with the token's scopes here.
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

/** The app's scopes; a test keeps manifest.json equal. */
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

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
}

/** Asks Slack whose token it is. */
export async function identify(api: SlackApi, signal: AbortSignal): Promise<Identity> {
  const { team_id: teamId, user_id: userId, bot_id: botId, url, user } = await api.call("auth.test", {}, { signal });
  return {
    teamId: String(teamId),
    userId: String(userId),
    botId: String(botId),
    url: String(url),
    name: String(user),
  };
}

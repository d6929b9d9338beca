import { readFileSync } from "node:fs";
import type { PluginSetup } from "@hermes/core";
import type { SlackOptions } from "./config.ts";
import { examine } from "./examine.ts";

/** The questions of `hermes init`, and the checks of `hermes doctor`. Loads no library. */
export const setup: PluginSetup<SlackOptions> = {
  title: "Slack",
  summary: "an app of your own, by socket mode; a thread for each session",
  ways: [
    {
      name: "app",
      title: "an app of your own",
      questions: [
        {
          option: "botToken",
          label: "The bot token",
          variable: "SLACK_BOT_TOKEN",
          page: newAppPage(),
          steps: [
            "The page has Hermes' manifest in it: choose your workspace, Next, Create.",
            "Install App, Install to Workspace, Allow.",
            "Copy the Bot User OAuth Token (xoxb-…).",
          ],
        },
        {
          option: "appToken",
          label: "The app-level token",
          variable: "SLACK_APP_TOKEN",
          page: "https://api.slack.com/apps",
          steps: [
            "Your app, Basic Information, App-Level Tokens, Generate Token and Scopes.",
            "Any name, Add Scope connections:write, Generate.",
            "Copy the token (xapp-…).",
          ],
        },
      ],
    },
  ],
  examine,
};

/** Slack's page that creates an app from the manifest in README.md. */
function newAppPage(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../manifest.json", import.meta.url), "utf8"));
  return `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(manifest))}`;
}

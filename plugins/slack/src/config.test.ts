import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { slackOptions } from "./config.ts";
import { SCOPES } from "./identity.ts";

const tokens = { botToken: "xoxb-1", appToken: "xapp-1" };

describe("the options", () => {
  it("tell the two tokens apart, and say which is which", () => {
    expect(slackOptions.parse(tokens)).toMatchObject({ apiUrl: "https://slack.com/api/" });
    expect(() => slackOptions.parse({ botToken: "xapp-1", appToken: "xoxb-1" })).toThrow(
      /begins with xoxb-[\s\S]*xapp-/,
    );
  });
});

describe("the app's manifest", () => {
  const manifest = JSON.parse(readFileSync(new URL("../manifest.json", import.meta.url), "utf8"));

  it("asks for the scopes that the plugin needs", () => {
    expect(manifest.oauth_config.scopes.bot).toEqual(SCOPES);
  });

  it("turns on socket mode, the direct messages and the one slash command", () => {
    expect(manifest.settings.socket_mode_enabled).toBe(true);
    expect(manifest.settings.interactivity.is_enabled).toBe(true);
    expect(manifest.features.app_home).toMatchObject({
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
    expect(manifest.features.slash_commands.map((one: { command: string }) => one.command)).toEqual(["/hermes"]);
    expect(manifest.settings.event_subscriptions.bot_events).toEqual([
      "app_mention",
      "message.channels",
      "message.groups",
      "message.im",
      "message.mpim",
    ]);
  });
});

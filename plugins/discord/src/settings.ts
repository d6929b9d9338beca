/** Where people find the settings that Hermes needs, for errors and for the set-up. README.md names the same. */

export const MESSAGE_CONTENT = "Switch on “Message Content Intent” in the Developer Portal, on the page “Bot”.";

export const CHANNEL_RIGHTS = "Give its role that right in the permissions of the channel, then try again.";

export const COPY_ID =
  "Copy the id with Developer Mode on (a right click on the channel or person, Copy ID), invite the bot to that " +
  "server, and let its role view the channel.";

export const OTHER_HOME = "Set `homeChannel` to a text channel, a forum, a thread or a person.";

export const RESET_TOKEN =
  "In the Developer Portal, on the page “Bot”: Reset Token, then copy the new one. The old one stops working.";

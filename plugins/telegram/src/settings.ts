/** Where people find the settings that Hermes needs, for errors and for the set-up. README.md names the same. */

/** Topics in private chats. It stands in @BotFather's Mini App only; the menu of `/mybots` does not list it. */
export const THREADED_MODE = "In @BotFather's profile: Open App, the bot, Settings, Bot Settings, Threaded Mode.";

export const TOPICS = "In the group: its name, Edit, Topics. This turns a basic group into a supergroup.";

export const MANAGE_TOPICS = "In the group: its name, Edit, Administrators, the bot, Manage Topics.";

export const PRIVACY_MODE =
  "Make the bot an administrator of the group, or turn privacy mode off in @BotFather (/setprivacy) and add it again.";

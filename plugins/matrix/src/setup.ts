import type { PluginSetup, SetupQuestion } from "@hermes/core";
import type { MatrixOptions } from "./config.ts";
import { examine } from "./examine.ts";

/** What a login on the command line sends. */
const LOGIN = '{"type":"m.login.password","identifier":{"type":"m.id.user","user":"hermes"},"password":"…"}';

const homeserver: SetupQuestion = {
  option: "homeserverUrl",
  label: "The homeserver's address",
  steps: [
    "Make an account for the bot on any homeserver: with an app, or on your own Synapse with register_new_matrix_user.",
    "The address is a whole one, such as https://matrix.example.org.",
  ],
};

/** Until the config names somebody, the bot enters this room alone: without it nobody could write it the one-time word. */
const room: SetupQuestion = {
  option: "homeChannel",
  label: "The id of a room with you and the bot",
  isOptional: true,
  steps: [
    "In Element: Start chat, the bot's id, and write something, so that it is invited.",
    "The room's name, Settings, Advanced, Internal room ID (!…). The bot enters it by itself.",
  ],
};

/** What `hermes init` asks for, and what `hermes doctor` checks. Loads no library of Matrix. */
export const setup: PluginSetup<MatrixOptions> = {
  title: "Matrix",
  summary: "an account of the bot's own; threads, encrypted rooms",
  ways: [
    {
      name: "password",
      title: "with a name and a password",
      questions: [
        homeserver,
        {
          option: "user",
          label: "The bot's name",
          steps: ["The whole id of the bot's account, such as @hermes:example.org."],
        },
        {
          option: "password",
          label: "The password of the bot's account",
          variable: "MATRIX_PASSWORD",
          steps: ["Hermes logs in once, and keeps the session in its folder."],
        },
        room,
      ],
    },
    {
      name: "token",
      title: "with an access token",
      questions: [
        homeserver,
        {
          option: "accessToken",
          label: "The access token",
          variable: "MATRIX_ACCESS_TOKEN",
          steps: [
            "Log in from the command line: an app's session has keys that Hermes does not have.",
            `curl -s https://matrix.example.org/_matrix/client/v3/login -d '${LOGIN}'`,
            "Its answer has the access_token (syt_…).",
          ],
        },
        room,
      ],
    },
  ],
  examine,
};

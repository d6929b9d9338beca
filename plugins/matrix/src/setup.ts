import type { PluginSetup, SetupQuestion } from "@hermes/core";
import type { MatrixOptions } from "./config.ts";
import { examine } from "./examine.ts";

const homeserver: SetupQuestion = {
  option: "homeserverUrl",
  label: "The homeserver's address",
  steps: [
    "Make an account for the bot on any homeserver: with an app (sign out of your own first),",
    "or on a Synapse of your own with register_new_matrix_user.",
    "The address is a whole one, such as https://matrix.example.org.",
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
            "curl -s https://matrix.example.org/_matrix/client/v3/login -d '{",
            '  "type": "m.login.password", "identifier": {"type": "m.id.user", "user": "hermes"}, "password": "…",',
            '  "initial_device_display_name": "Hermes" }\'',
            "Its answer has the access_token (syt_…).",
          ],
        },
      ],
    },
  ],
  examine,
};

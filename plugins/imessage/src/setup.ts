import type { PluginSetup, SetupQuestion } from "@hermes/core";
import type { IMessageOptions } from "./config.ts";

const PAGE = "https://bluebubbles.app/install/";

const QUESTIONS: readonly SetupQuestion[] = [
  {
    option: "url",
    label: "The address of the BlueBubbles server",
    steps: [
      `Install BlueBubbles Server on the Mac, from ${PAGE}, and give it Full Disk Access`,
      "Sign in to Messages there, and keep the Mac awake: System Settings, Energy",
      "Open BlueBubbles, choose a password, and leave the proxy at LAN URL",
    ],
    page: PAGE,
    default: "http://127.0.0.1:1234",
  },
  {
    option: "password",
    label: "The password of the server",
    variable: "BLUEBUBBLES_PASSWORD",
    steps: ["It is the one on BlueBubbles' page API & Webhooks."],
  },
];

/** What `hermes init` asks for, and `hermes doctor` checks. */
export const setup: PluginSetup<IMessageOptions> = {
  title: "iMessage",
  summary: "private chats and groups, through a BlueBubbles server on a Mac of yours; no threads",
  ways: [
    { name: "own", title: "an Apple account of Hermes' own on the Mac", questions: QUESTIONS },
    { name: "yours", title: "your own Apple account: Hermes lives in your chat with yourself", questions: QUESTIONS },
  ],
  examine: async (options, context) => (await import("./examine.ts")).examine(options, context),
};

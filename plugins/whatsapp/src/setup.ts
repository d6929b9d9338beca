import { randomBytes } from "node:crypto";
import type { PluginSetup, SetupWay } from "@hermes/core";
import type { WhatsAppOptions } from "./config.ts";
import { PERSONAL_LIBRARY } from "./personal-library.ts";

const APPS = "https://developers.facebook.com/apps";

const cloud: SetupWay = {
  name: "cloud",
  title: "a business number, through Meta's Cloud API",
  options: { transport: "cloud" },
  questions: [
    {
      option: "phoneNumberId",
      label: "The id of the number",
      steps: [
        "Create an app of the use case “Connect with customers through WhatsApp”, or open yours",
        "In the app, open WhatsApp, API Setup: “Phone number ID” is the id, which is not the number itself",
        "With Meta's test number, add your own number under “To”, and confirm the code that you get",
      ],
      page: APPS,
    },
    {
      option: "accessToken",
      label: "The token of a system user",
      steps: [
        "Under Users, System users, add one; the role Employee is enough",
        "Assign it the app (Develop app) and the WhatsApp account (Manage)",
        "Generate a token that never expires, with whatsapp_business_messaging and whatsapp_business_management",
        "The token on the page API Setup works too, for a day",
      ],
      page: "https://business.facebook.com/settings",
      variable: "WHATSAPP_ACCESS_TOKEN",
    },
    {
      option: "appSecret",
      label: "The app's secret",
      steps: ["In the app, open App settings, Basic, and show “App secret”"],
      page: APPS,
      variable: "WHATSAPP_APP_SECRET",
    },
    {
      option: "verifyToken",
      label: "The word of your choosing that Meta says when it looks for Hermes",
      steps: ["You enter the same word at Meta later, beside the callback URL. Without an answer it is a random one."],
      variable: "WHATSAPP_VERIFY_TOKEN",
      default: randomBytes(16).toString("hex"),
    },
  ],
};

const personal: SetupWay = {
  name: "personal",
  title: "a number of your own, as a linked device; WhatsApp does not offer this, and may close the account",
  options: { transport: "personal" },
  packages: [PERSONAL_LIBRARY],
  questions: [],
  command: "link",
};

/** The questions of `hermes init`, and the checks of `hermes doctor`. */
export const setup: PluginSetup<WhatsAppOptions> = {
  title: "WhatsApp",
  summary: "a business number, or a number of your own; no threads",
  ways: [cloud, personal],
  async examine(options, context) {
    if (options.transport === "personal") {
      return (await import("./personal/examine.ts")).examinePersonal(options, context);
    }
    return (await import("./cloud/examine.ts")).examineCloud(options, context);
  },
};

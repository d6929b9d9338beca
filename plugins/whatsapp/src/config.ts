import { type HomeChannel, type PlatformConfig, platformOptions, z } from "@hermes/core";
import { toId } from "./source.ts";

const ids = z
  .array(z.string())
  .default([])
  .transform((list) => list.map(toId));

const webhook = z.object({
  /** Where the server listens; TLS ends at the tunnel or proxy in front of it. */
  host: z.string().default("127.0.0.1"),
  port: z.int().min(1).max(65_535).default(8790),
  path: z
    .string()
    .regex(/^\/\S*$/, "begins with a slash")
    .default("/whatsapp"),
});

const template = z.object({
  /** The template's name in the WhatsApp Manager. */
  name: z.string().min(1),
  /** Such as `en` or `en_US`. */
  language: z.string().min(2),
});

const address = (initial: string, protocol: RegExp) =>
  z
    .url({ protocol })
    .default(initial)
    .transform((url) => url.replace(/\/+$/, ""));

/** The options of `whatsapp()`. README.md repeats them; a test holds the two together. */
const options = z.object({
  ...platformOptions,
  homeChannel: platformOptions.homeChannel
    .transform((home): HomeChannel | undefined => home && { ...home, chatId: toId(home.chatId) })
    .describe("Where handoffs land: a person's number with its country code or, with `personal`, a group (`…@g.us`)."),
  allowedUsers: ids,
  operators: ids,
  transport: z
    .enum(["cloud", "personal"])
    .describe(
      "`cloud`: a business number through Meta's Cloud API. `personal`: a number of your own, as a linked device.",
    ),
  phoneNumberId: z
    .string()
    .regex(/^\d{5,}$/, "is the id of a number (digits), not the number itself")
    .optional()
    .describe("cloud: the id of the business number, from the app's page WhatsApp › API Setup."),
  accessToken: z
    .string()
    .min(1)
    .optional()
    .describe("cloud: a system user's token with `whatsapp_business_messaging`."),
  appSecret: z.string().min(1).optional().describe("cloud: the app's secret; every webhook is signed with it."),
  verifyToken: z
    .string()
    .min(1)
    .optional()
    .describe("cloud: a word of your choosing, given to Meta beside the callback URL."),
  webhook: webhook.prefault({}).describe("cloud: where Hermes listens for Meta's webhooks: `host`, `port`, `path`."),
  template: template
    .optional()
    .describe("cloud: the template (`name`, `language`) that carries a message when 24 hours have passed."),
  readReceipts: z
    .boolean()
    .default(false)
    .describe("Show that messages were read. With `cloud`, “typing…” is shown then too: one comes with the other."),
  graphUrl: address("https://graph.facebook.com/v25.0", /^https?$/).describe(
    "cloud: the Graph API and its version, or the emulator.",
  ),
  socketUrl: address("wss://web.whatsapp.com/ws/chat", /^wss?$/).describe(
    "personal: WhatsApp's server for linked devices, or the emulator.",
  ),
  certificateRoot: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, "is a public key: 64 hexadecimal digits")
    .optional()
    .describe("personal: the key that signs the server's certificate, where that is not WhatsApp's: the emulator's."),
});

/** The options that `cloud` requires. */
const CLOUD_KEYS = ["phoneNumberId", "accessToken", "appSecret", "verifyToken"] as const;

export const whatsappOptions = options.superRefine((given, context) => {
  if (given.transport !== "cloud") return;
  for (const key of CLOUD_KEYS) {
    if (given[key] === undefined)
      context.addIssue({ code: "custom", path: [key], message: `is needed for \`transport: "cloud"\`` });
  }
});

export type WhatsAppOptions = z.output<typeof options>;

/** The options with everything that `cloud` needs. */
export type CloudOptions = WhatsAppOptions & Readonly<Record<(typeof CLOUD_KEYS)[number], string>>;

/** The options for `cloud`, as the schema has checked them. */
export function asCloudOptions(given: WhatsAppOptions): CloudOptions {
  const { phoneNumberId = "", accessToken = "", appSecret = "", verifyToken = "" } = given;
  return { ...given, phoneNumberId, accessToken, appSecret, verifyToken };
}

/** The options as written in a config; editors show their comments. */
export interface WhatsAppConfig extends PlatformConfig {
  /** Where handoffs land: a person's number with its country code or, with `personal`, a group (`…@g.us`). */
  homeChannel?: PlatformConfig["homeChannel"];
  /** `cloud`: a business number through Meta's Cloud API. `personal`: a number of your own, as a linked device. */
  transport: "cloud" | "personal" | undefined;
  /** cloud: the id of the business number, from the app's page WhatsApp › API Setup. */
  phoneNumberId?: string | undefined;
  /** cloud: a system user's token with `whatsapp_business_messaging`. */
  accessToken?: string | undefined;
  /** cloud: the app's secret; every webhook is signed with it. */
  appSecret?: string | undefined;
  /** cloud: a word of your choosing, given to Meta beside the callback URL. */
  verifyToken?: string | undefined;
  /** cloud: where Hermes listens for Meta's webhooks: `host`, `port`, `path`. */
  webhook?:
    | {
        host?: string | undefined;
        port?: number | undefined;
        path?: string | undefined;
      }
    | undefined;
  /** cloud: the template (`name`, `language`) that carries a message when 24 hours have passed. */
  template?:
    | {
        name: string;
        language: string;
      }
    | undefined;
  /** Show that messages were read. With `cloud`, “typing…” is shown then too: one comes with the other. */
  readReceipts?: boolean | undefined;
  /** cloud: the Graph API and its version, or the emulator. */
  graphUrl?: string | undefined;
  /** personal: WhatsApp's server for linked devices, or the emulator. */
  socketUrl?: string | undefined;
  /** personal: the key that signs the server's certificate, where that is not WhatsApp's: the emulator's. */
  certificateRoot?: string | undefined;
}

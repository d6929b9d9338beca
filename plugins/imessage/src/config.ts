import { isIP } from "node:net";
import { type HomeChannel, type PlatformConfig, platformOptions, z } from "@hermes/core";
import { canonicalId, isPersonId, kindOf } from "./source.ts";

export const HOW_TO_WRITE_IDS =
  "write a number as +491701234567, a mail address, a group's identifier as chat123456789, or `sms:` and a number";

/** Ids of people, or `*` for everybody. */
function people<Ids extends z.ZodType<string[], string[] | undefined>>(ids: Ids) {
  return ids
    .transform((all) => all.map(canonicalId))
    .refine(
      (all) => all.every((id) => id === "*" || isPersonId(id)),
      `holds what is no person's id: ${HOW_TO_WRITE_IDS}`,
    );
}

const webhook = z.object({
  /** Where Hermes listens; 0 takes any free port. */
  host: z.string().default("127.0.0.1"),
  port: z.int().min(0).max(65_535).default(0),
  /** How the Mac reaches that, without a path: needed where the server is on another machine. */
  url: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  /** The addresses from which webhooks are taken; any where it is left out, since the path is secret. */
  from: z.array(z.union([z.ipv4(), z.ipv6()])).optional(),
});

/** The options of `imessage()`. README.md repeats them; a test holds the two together. */
export const imessageOptions = z.object({
  ...platformOptions,
  homeChannel: platformOptions.homeChannel
    .transform((home): HomeChannel | undefined => home && { ...home, chatId: canonicalId(home.chatId) })
    .refine((home) => home === undefined || kindOf(home.chatId) !== null, `names no chat: ${HOW_TO_WRITE_IDS}`)
    .describe(
      "Where handoffs land: a person's number or mail address, a group's identifier, or an address of your own.",
    ),
  allowedUsers: people(platformOptions.allowedUsers),
  operators: people(platformOptions.operators),
  url: z
    .url({ protocol: /^https?$/ })
    .refine(isSafe, "is not encrypted and leads over the internet: use https, or an address of your own network")
    .default("http://127.0.0.1:1234")
    .transform((url) => url.replace(/\/+$/, ""))
    .describe("The address of the BlueBubbles server, or of the emulator."),
  password: z.string().min(1).describe("The password of the BlueBubbles server."),
  ownAddresses: z
    .array(z.string())
    .default([])
    .transform((all) => all.map(canonicalId))
    .describe("More numbers and mail addresses of the account on the Mac: what you write to yourself is for Hermes."),
  sms: z
    .boolean()
    .default(false)
    .describe(
      "Take and send SMS, too. Anybody can forge who an SMS is from, so name its people as `sms:+491701234567`.",
    ),
  edits: z
    .boolean()
    .default(true)
    .describe("Let answers grow by edits, where the Private API is on; Apple shows that a message was edited."),
  readReceipts: z
    .boolean()
    .default(false)
    .describe("Show that a message was read when Hermes answers it, where the Private API is on."),
  webhook: webhook
    .prefault({})
    .describe("Where Hermes takes the server's webhooks: `host`, `port`, `url` as the Mac reaches it, `from`."),
});

export type IMessageOptions = z.output<typeof imessageOptions>;

/** Whether the password may be sent there: encrypted, or not out of one's own network. */
function isSafe(url: string): boolean {
  const host = hostOf(url);
  return new URL(url).protocol === "https:" || (isIP(host) === 0 ? OWN_NAME : OWN_ADDRESS).test(host);
}

const OWN_ADDRESS =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)|^(?:::1$|f[cd]|fe80)/i;
const OWN_NAME = /^[^.]+$|\.(?:local|lan|internal|home\.arpa)$/i;

/** Whether an address is this machine's own. */
export function isThisMachine(url: string): boolean {
  const host = hostOf(url);
  return isIP(host) === 0 ? host === "localhost" : /^(?:127\.|::1$)/.test(host);
}

/** In small letters, an address of IPv6 without its brackets. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, "");
}

/** The options as written in a config; editors show their comments. */
export interface IMessageConfig extends PlatformConfig {
  /** Where handoffs land: a person's number or mail address, a group's identifier, or an address of your own. */
  homeChannel?: PlatformConfig["homeChannel"];
  /** The address of the BlueBubbles server, or of the emulator. */
  url?: string | undefined;
  /** The password of the BlueBubbles server. */
  password: string | undefined;
  /** More numbers and mail addresses of the account on the Mac: what you write to yourself is for Hermes. */
  ownAddresses?: string[] | undefined;
  /** Take and send SMS, too. Anybody can forge who an SMS is from, so name its people as `sms:+491701234567`. */
  sms?: boolean | undefined;
  /** Let answers grow by edits, where the Private API is on; Apple shows that a message was edited. */
  edits?: boolean | undefined;
  /** Show that a message was read when Hermes answers it, where the Private API is on. */
  readReceipts?: boolean | undefined;
  /** Where Hermes takes the server's webhooks: `host`, `port`, `url` as the Mac reaches it, `from`. */
  webhook?:
    | {
        host?: string | undefined;
        port?: number | undefined;
        url?: string | undefined;
        from?: string[] | undefined;
      }
    | undefined;
}

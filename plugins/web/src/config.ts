import { type PlatformConfig, platformOptions, z } from "@hermes/core";
import { HOME_CHAT_ID } from "./source.ts";

const limits = z.object({
  bodyBytes: z.int().min(1024).default(262_144).describe("The largest request but an upload, in bytes."),
  messagesPerMinute: z
    .int()
    .min(1)
    .default(60)
    .describe("Messages and presses of buttons, for each browser that is signed in."),
  streams: z.int().min(1).default(32).describe("Pages that get live updates at the same time."),
});

/** The options of `web()`. README.md repeats them; a test holds the two together. */
export const webOptions = z
  .object({
    ...platformOptions,
    homeChannel: platformOptions.homeChannel
      .default({ chatId: HOME_CHAT_ID, name: "Home" })
      .describe("There is one, with the chat id `home`. Its `name` is what the page calls it."),
    host: z
      .string()
      .min(1)
      .default("127.0.0.1")
      .describe("The address to listen on. Any but the machine's own lets others on the network reach the page."),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .default(8765)
      .describe("The port to listen on. 0: any that is free, kept for the next start."),
    publicUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("How the page is reached from elsewhere, such as `https://hermes.example.org`; links begin with it."),
    limits: limits.prefault({}).describe("What one browser may ask for."),
  })
  .refine((options) => options.homeChannel.chatId === HOME_CHAT_ID, {
    path: ["homeChannel"],
    error: `has to be "${HOME_CHAT_ID}": the page has one home channel`,
  })
  .refine((options) => options.publicUrl !== undefined || !isEveryAddress(options.host), {
    path: ["publicUrl"],
    error: "is needed when `host` stands for every address: it says under which name the page is opened",
  });

export type WebOptions = z.output<typeof webOptions>;

/** Whether a host stands for all addresses of the machine, in whatever form: `0`, `0x0`, `::0`, `::ffff:0.0.0.0` … */
export function isEveryAddress(host: string): boolean {
  const bare = host
    .trim()
    .replace(/^\[|\]$/g, "")
    .replace(/%.*$/, "");
  const url = URL.parse(`http://${bare.includes(":") ? `[${bare}]` : bare}`);
  return url !== null && ["0.0.0.0", "[::]", "[::ffff:0:0]"].includes(url.hostname);
}

/** The options as written in a config; editors show their comments. */
export interface WebConfig extends PlatformConfig {
  /** There is one, with the chat id `home`. Its `name` is what the page calls it. */
  homeChannel?: PlatformConfig["homeChannel"];
  /** The address to listen on. Any but the machine's own lets others on the network reach the page. */
  host?: string | undefined;
  /** The port to listen on. 0: any that is free, kept for the next start. */
  port?: number | undefined;
  /** How the page is reached from elsewhere, such as `https://hermes.example.org`; links begin with it. */
  publicUrl?: string | undefined;
  /** What one browser may ask for. */
  limits?:
    | {
        bodyBytes?: number | undefined;
        messagesPerMinute?: number | undefined;
        streams?: number | undefined;
      }
    | undefined;
}

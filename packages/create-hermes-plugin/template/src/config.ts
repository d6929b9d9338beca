import { type PlatformConfig, platformOptions, z } from "@hermes/core";

/** The options of `acme()`, as Hermes checks them. README.md repeats them. */
export const acmeOptions = z.object({
  // Home channel, allowed users, operators, account …: what every platform has.
  ...platformOptions,
  token: z.string().min(1).describe("The bot's token."),
  url: z
    .url({ protocol: /^https?$/ })
    .default("https://api.acme.example")
    .describe("Where the API is: Acme's own, or the emulator."),
  // #if webhook
  webhook: z
    .object({
      port: z.int().min(0).max(65_535).default(8790),
      host: z.string().default("127.0.0.1"),
      publicUrl: z.url().optional(),
    })
    .prefault({})
    .describe("Where events come in: a port of this machine, and the address of the proxy or tunnel before it."),
  // #end
});

export type AcmeOptions = z.output<typeof acmeOptions>;

/** The options as written in a config; editors show these comments, and none of a schema. */
export interface AcmeConfig extends PlatformConfig {
  /** The bot's token. */
  token: string | undefined;
  /** Where the API is: Acme's own (by default), or the emulator. */
  url?: string | undefined;
  // #if webhook
  /** Where events come in. */
  webhook?: AcmeWebhook | undefined;
  // #end
}
// #if webhook

interface AcmeWebhook {
  /** The port of this machine; 8790 by default, and 0 for any that is free. */
  port?: number | undefined;
  /** The host to listen on; 127.0.0.1 by default. */
  host?: string | undefined;
  /** The address by which Acme reaches it: that of the proxy or tunnel before it. */
  publicUrl?: string | undefined;
}
// #end

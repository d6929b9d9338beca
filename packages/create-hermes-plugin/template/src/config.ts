import { platformOptions } from "@hermes/core";
import { z } from "zod";

/** The options of `acme()`. README.md repeats them. */
export const acmeOptions = z.object({
  // Home channel, allowed users, operators, account …: what every platform has.
  ...platformOptions,
  /** The bot's token. */
  token: z.string().min(1).describe("The bot's token."),
  /** Where the API is. */
  url: z
    .url({ protocol: /^https?$/ })
    .default("https://api.acme.example")
    .describe("Where the API is: Acme's own, or the emulator."),
  // #if webhook
  /** Where this process listens for Acme's events, and the address by which Acme reaches it. */
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

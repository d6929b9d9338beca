import { type PlatformConfig, platformOptions, z } from "@hermes/core";

/** The options of `matrix()`. README.md repeats them; a test holds the two together. */
export const matrixOptions = z
  .object({
    ...platformOptions,
    homeChannel: platformOptions.homeChannel.describe(
      "Where handoffs land: a room's id (`!…`) or an alias of it (`#…:server`).",
    ),
    homeserverUrl: z
      .url({ protocol: /^https?$/ })
      .transform((url) => url.replace(/\/+$/, ""))
      .describe("The homeserver of the bot's account, or the emulator."),
    accessToken: z
      .string()
      .min(1)
      .optional()
      .describe("A token of a session of its own: one that no app uses beside it."),
    user: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Instead of a token, or for when it is taken no more: the bot's name, `@hermes:server`. Hermes logs in, and keeps the session.",
      ),
    password: z.string().min(1).optional().describe("The password that goes with it."),
    deviceName: z.string().min(1).default("Hermes").describe("What a session that Hermes logs in is called."),
  })
  .refine(({ accessToken, user, password }) => accessToken !== undefined || (user && password), {
    path: ["accessToken"],
    message: "is needed, or `user` and `password`",
  });

export type MatrixOptions = z.output<typeof matrixOptions>;

/** The options as written in a config; editors show their comments. */
export interface MatrixConfig extends PlatformConfig {
  /** Where handoffs land: a room's id (`!…`) or an alias of it (`#…:server`). */
  homeChannel?: PlatformConfig["homeChannel"];
  /** The homeserver of the bot's account, or the emulator. */
  homeserverUrl: string | undefined;
  /** A token of a session of its own: one that no app uses beside it. */
  accessToken?: string | undefined;
  /**
   * Instead of a token, or for when it is taken no more: the bot's name, `@hermes:server`. Hermes logs in, and keeps
   * the session.
   */
  user?: string | undefined;
  /** The password that goes with it. */
  password?: string | undefined;
  /** What a session that Hermes logs in is called. */
  deviceName?: string | undefined;
}

import { type PlatformConfig, platformOptions, z } from "@hermes/core";
import { HOW_TO_WRITE_IDS } from "./errors.ts";
import { canonicalId, isChatId, isNumber, isUuid } from "./source.ts";

/** Ids of people, or `*` for everybody. */
function people<Ids extends z.ZodType<string[], string[] | undefined>>(ids: Ids) {
  return ids
    .transform((all) => all.map(canonicalId))
    .refine(
      (all) => all.every((id) => id === "*" || isNumber(id) || isUuid(id)),
      "holds what is no person's id: write a number as +491701234567, or a UUID",
    );
}

/** The options of `signal()`. README.md repeats them; a test holds the two together. */
export const signalOptions = z.object({
  ...platformOptions,
  homeChannel: platformOptions.homeChannel
    .transform((home) => home && { ...home, chatId: canonicalId(home.chatId) })
    .refine((home) => home === undefined || isChatId(home.chatId), `names no chat: ${HOW_TO_WRITE_IDS}`)
    .describe(
      "Where handoffs land: a person's number or UUID, a group's id, or your own number for the notes to yourself.",
    ),
  allowedUsers: people(platformOptions.allowedUsers),
  operators: people(platformOptions.operators),
  allowedBots: people(platformOptions.allowedBots),
  /** Where `signal-cli daemon --http` listens. */
  url: z
    .url({ protocol: /^https?$/ })
    .refine(hasNoPassword, "holds a name or password; signal-cli has no sign-in, and an address ends up in logs")
    .default("http://127.0.0.1:8080")
    .transform((url) => url.replace(/\/+$/, ""))
    .describe("The address of `signal-cli daemon --http`, or of the emulator."),
  /** Also tells accounts of one config apart. */
  account: z
    .string()
    .min(1)
    .transform(canonicalId)
    .optional()
    .describe("The number or UUID that Hermes writes as; needed where the daemon serves several."),
  /** Whether somebody whose safety number changed is written to all the same. */
  trustNewIdentities: z
    .boolean()
    .default(false)
    .describe("Trust a person's new safety number by itself, as after a new phone. Otherwise you confirm it once."),
});

export type SignalOptions = z.output<typeof signalOptions>;

function hasNoPassword(url: string): boolean {
  const { username, password } = new URL(url);
  return username === "" && password === "";
}

/** The options as written in a config; editors show their comments. */
export interface SignalConfig extends PlatformConfig {
  /** Where handoffs land: a person's number or UUID, a group's id, or your own number for the notes to yourself. */
  homeChannel?: PlatformConfig["homeChannel"];
  /** The address of `signal-cli daemon --http`, or of the emulator. */
  url?: string | undefined;
  /** The number or UUID that Hermes writes as; needed where the daemon serves several. */
  account?: string | undefined;
  /** Trust a person's new safety number by itself, as after a new phone. Otherwise you confirm it once. */
  trustNewIdentities?: boolean | undefined;
}

import { discord } from "./platforms/discord.ts";
import { imessage } from "./platforms/imessage.ts";
import { encryptedMatrix, matrix } from "./platforms/matrix.ts";
import type { EmulatedPlatform } from "./platforms/platform.ts";
import { signal } from "./platforms/signal.ts";
import { slack } from "./platforms/slack.ts";
import { telegram } from "./platforms/telegram.ts";
import { linkedWhatsApp, whatsapp } from "./platforms/whatsapp.ts";

export { type EmulatedPlatform, pluginFor, type Writer } from "./platforms/platform.ts";

type StartPlatforms = Readonly<Record<string, () => Promise<EmulatedPlatform>>>;

/** Every messaging platform. */
export const PLATFORMS: StartPlatforms = { telegram, discord, slack, signal, imessage, matrix, whatsapp };

/** The same where messages are encrypted from end to end: with the gateway's share, the writers' is measured too. */
export const ENCRYPTED: StartPlatforms = {
  "matrix, encrypted": encryptedMatrix,
  "whatsapp, linked device": linkedWhatsApp,
};

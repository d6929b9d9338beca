import type { PlatformName } from "../plan/acts.ts";
import { discord } from "./discord.ts";
import { imessage } from "./imessage.ts";
import { matrix } from "./matrix.ts";
import { signal } from "./signal.ts";
import { slack } from "./slack.ts";
import type { SoakPlatform } from "./soak-platform.ts";
import { telegram } from "./telegram.ts";
import { WebPlatform } from "./web.ts";
import { whatsappCloud, whatsappPersonal } from "./whatsapp.ts";

/** All platforms, each with its people. */
export async function openWorld(): Promise<ReadonlyMap<PlatformName, SoakPlatform>> {
  // A plugin's commands take the options of the first account: that is the one that has to be linked.
  const starts = [
    telegram,
    discord,
    slack,
    whatsappPersonal,
    whatsappCloud,
    signal,
    imessage,
    matrix,
    WebPlatform.open,
  ];
  const platforms = await Promise.all(starts.map((start): Promise<SoakPlatform> => start()));
  return new Map(platforms.map((platform) => [platform.name, platform]));
}

import { platformState, type ServedPlatform } from "../../model/gateway-row.ts";
import { accountName } from "../../model/identity.ts";

/** The platforms of a gateway on one line: how each is, and what is to be known of it. */
export function describePlatforms(platforms: readonly ServedPlatform[]): string {
  const parts = platforms.map((platform) => {
    const { address } = platform.health;
    const words = [...platformState(platform), ...(address === undefined ? [] : [address])];
    return `${accountName(platform)} ${words.join(", ")}`;
  });
  return parts.join("; ") || "no platform is configured";
}

import { withoutFullStop } from "../../base/text.ts";
import type { ServedPlatform } from "../../model/gateway-row.ts";
import { accountName } from "../../model/identity.ts";

/** The platforms of a gateway on one line: how each is, and what is to be known of it. */
export function describePlatforms(platforms: readonly ServedPlatform[]): string {
  const parts = platforms.map(({ platform, account, health, standby }) => {
    const name = accountName({ platform, account });
    const state = standby ? "standing by" : health.state;
    const parts = [`${name} ${state}`, health.detail && withoutFullStop(health.detail), health.address];
    return parts.filter((part) => part !== undefined).join(", ");
  });
  return parts.join("; ") || "no platform is configured";
}

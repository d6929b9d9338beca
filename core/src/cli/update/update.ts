import { systemClock } from "../../base/clock.ts";
import { CORE_FOLDER } from "../../config/own-project.ts";
import { hermesHome, prepareHome } from "../../host/home.ts";
import type { CliContext } from "../context.ts";
import { version } from "../version.ts";
import { installationOf } from "./installation.ts";
import { isNewer, latestVersion } from "./latest-version.ts";

/** `hermes update`: tells of a newer version and how to get it. Changes nothing. */
export async function showUpdate({ io, output }: CliContext): Promise<number> {
  const { environment } = io;
  const home = hermesHome(environment);
  prepareHome(home);
  const own = version();
  const { how, command } = installationOf(CORE_FOLDER);
  output.besideError = { version: own, how, command };
  const { version: latest, askedAt } = await latestVersion(home, { clock: systemClock, environment });
  const isThere = isNewer(latest, own);
  output.document({ version: own, latest, isNewer: isThere, how, command, askedAt });
  if (isThere) {
    output.line(`Hermes ${latest} is available; this is ${own}. To get it:`);
    output.line(`  ${command}`);
    output.line("Then `hermes gateway restart`, where a gateway runs. The store is copied before it is changed.");
  } else {
    output.line(`Hermes ${own} is the latest version.`);
  }
  return 0;
}

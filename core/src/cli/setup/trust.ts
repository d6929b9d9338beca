import { resolve } from "node:path";
import { HermesError, reasonOf } from "../../base/errors.ts";
import { trustFolder } from "../../config/trusted-folders.ts";
import { hermesHome, prepareHome } from "../../host/home.ts";
import type { CliContext } from "../context.ts";

/** `hermes trust`: from now on the config of that folder is loaded. */
export async function trust({ io, output }: CliContext, folder = "."): Promise<number> {
  const home = hermesHome(io.environment);
  prepareHome(home);
  const path = resolve(io.workingDirectory, folder);
  const trusted = trusting(home, path);
  output.document({ folder: trusted });
  output.line(`Configs in ${trusted} are loaded from now on.`);
  return 0;
}

function trusting(home: string, path: string): string {
  try {
    return trustFolder(home, path);
  } catch (error) {
    throw new HermesError("USAGE", {
      reason: `${path} cannot be trusted: ${reasonOf(error)}`,
      command: "hermes trust",
    });
  }
}

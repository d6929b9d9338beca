import { join, relative, resolve } from "node:path";
import { HermesError, reasonOf } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { contentOf } from "../../config/content.ts";
import { INSTRUCTIONS } from "../../config/folder-instructions.ts";
import { trustFolder, trustInstructions } from "../../config/trusted-folders.ts";
import { hermesHome, makeHome, prepareHome } from "../../host/home.ts";
import { trustHome } from "../../host/trusted-home.ts";
import type { CliContext } from "../context.ts";

interface TrustOptions {
  /** Hermes' home instead of a folder with a config. */
  readonly home?: boolean;
}

/** `hermes trust`: from now on the config of that folder is loaded, as it stands. */
export async function trust(context: CliContext, folder: string | undefined, { home = false }: TrustOptions) {
  if (!home) return trustProject(context, folder ?? ".");
  if (folder !== undefined) throw usage("`--home` is Hermes' own home, and takes no folder");
  return trustOwnHome(context);
}

function trustProject({ io, output }: CliContext, folder: string): number {
  const home = hermesHome(io.environment);
  prepareHome(home);
  const path = resolve(io.workingDirectory, folder);
  const { folder: real, files } = trusting(() => trustFolder(home, path), path);
  const instructions = join(real, INSTRUCTIONS);
  const hasInstructions = contentOf(instructions) !== null;
  trustInstructions(home, real, instructions);
  const trusted = { folder: real, files: hasInstructions ? [...files, instructions] : files };
  output.document(trusted);
  output.line(`Configs in ${trusted.folder} are loaded from now on, as they stand; Hermes asks when they change.`);
  for (const file of trusted.files) output.line(`  ${relative(trusted.folder, file)}`);
  if (hasInstructions) output.line(`The agent does what ${INSTRUCTIONS} says, as it stands.`);
  return 0;
}

/** `hermes trust --home`: what is in a home that others could write to is the person's own from now on. */
function trustOwnHome({ io, output }: CliContext): number {
  const home = hermesHome(io.environment);
  makeHome(home);
  const openings = trustHome(home);
  output.document({ home, openings });
  for (const { path, why } of openings) output.line(`  ${path} ${why}`);
  const found =
    openings.length === 0
      ? "Nothing in it was"
      : `${count(openings.length, "place")} ${openings.length === 1 ? "was" : "were"}`;
  output.line(`${home} is trusted. ${found} open to others.`);
  return 0;
}

function trusting<T>(work: () => T, path: string): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof HermesError) throw error;
    const isMissing = (error as NodeJS.ErrnoException | null)?.code === "ENOENT";
    const reason = isMissing ? "there is no such folder" : reasonOf(error);
    throw new HermesError("FOLDER_UNFIT_FOR_TRUST", { folder: path, reason }, { cause: error });
  }
}

function usage(reason: string): HermesError {
  return new HermesError("USAGE", { reason, command: "hermes trust" });
}

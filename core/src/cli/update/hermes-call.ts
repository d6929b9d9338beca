import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { shellWord } from "../../base/shell-word.ts";
import { upwardsFrom } from "../../base/upwards-from.ts";
import { CORE_FOLDER } from "../../config/own-project.ts";
import type { Io } from "../../terminal/io.ts";
import { FRONT, installationOf } from "./installation.ts";

/** How a person calls Hermes from this terminal: `hermes` where it is a command there, else by npx or by its path. */
export function hermesCall(
  { environment, workingDirectory }: Pick<Io, "environment" | "workingDirectory">,
  coreFolder = CORE_FOLDER,
): string {
  const { how } = installationOf(coreFolder);
  if (how === "global" || isCommand(environment.PATH ?? "")) return "hermes";
  // Without one of the project, npx would fetch a package of that name, which is not this Hermes.
  const isHere = [...upwardsFrom(workingDirectory)].some((folder) => existsSync(join(folder, BIN, "hermes")));
  if (isHere) return "npx hermes";
  return how === "checkout" ? `node ${shellWord(join(coreFolder, "bin", "hermes.js"))}` : `npx ${FRONT}`;
}

const BIN = join("node_modules", ".bin");

/** npx and npm put folders of packages into the path, for what they run alone. */
function isCommand(path: string): boolean {
  const folders = path.split(delimiter).filter((folder) => folder !== "" && !folder.endsWith(BIN));
  return folders.some((folder) => ["hermes", "hermes.cmd"].some((name) => existsSync(join(folder, name))));
}

import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HermesError } from "../base/errors.ts";
import { readIfThere } from "../base/kept-json.ts";
import { replaceFile } from "../base/replace-file.ts";
import { placeOfConfig } from "./content.ts";
import { trustOwnEdit } from "./trusted-folders.ts";

/** What Hermes writes beside or into a config at its user's command. */
export interface ConfigWrite {
  /** The config, or the `.env` beside it. */
  readonly file: string;
  /** What stood in it when it was read; null where there was none. Another content is not overwritten. */
  readonly before: string | null;
  readonly text: string;
  /** The trusted folder that it lies in, whose trust was settled just now; null where it needs none. */
  readonly trustedFolder: string | null;
  /** Hermes' home. */
  readonly home: string;
}

/**
 * Writes a config as a whole, with the mode that it had; a folder that was trusted stays trusted with it. Throws
 * FILE_FAILED where somebody else wrote it meanwhile.
 */
export function writeConfig({ file, before, text, trustedFolder, home }: ConfigWrite): void {
  // A link stays one.
  const path = before === null ? file : realpathSync(file);
  if (readIfThere(path) !== before) {
    throw new HermesError("FILE_FAILED", { file, reason: "somebody else wrote it at the same time" });
  }
  replaceFile(path, text, before === null ? {} : { mode: statSync(path).mode & 0o777 });
  if (trustedFolder === null) return;
  trustOwnEdit(home, trustedFolder, placeOfConfig(join(realpathSync(dirname(file)), basename(file))));
}

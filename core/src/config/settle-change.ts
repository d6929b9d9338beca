import { basename } from "node:path";
import { HermesError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import type { FoundConfig } from "./find-config.ts";
import { changesIn, type FolderChange, trustFolder } from "./trusted-folders.ts";

/** Shows a person at a terminal how a trusted folder differs from what was trusted, and asks whether it is trusted so. */
export type ConfirmChange = (change: FolderChange) => Promise<boolean>;

/**
 * A config of a trusted folder runs only as it was trusted. Where it changed, a person is asked; throws CONFIG_CHANGED
 * where there is none, or who says no. Another config is not taken in its place: it might lead to other people.
 */
export async function settleChange(
  { file, trustedFolder }: FoundConfig,
  { home, confirmChange }: { readonly home: string; readonly confirmChange?: ConfirmChange | undefined },
): Promise<void> {
  if (file === null || trustedFolder === null) return;
  for (;;) {
    const change = changesIn(home, trustedFolder);
    if (change === null) return;
    if (!(await confirmChange?.(change))) {
      throw new HermesError("CONFIG_CHANGED", { file, folder: change.folder, what: describe(change) });
    }
    // What was shown is trusted: where it changed again meanwhile, that is asked about, too.
    trustFolder(home, change.folder, change.contents);
  }
}

function describe({ isFirst, files }: FolderChange): string {
  if (isFirst) return "Hermes keeps what is in a trusted folder, which it did not yet";
  const [first, ...more] = files.map(({ place }) => basename(place));
  return `${first ?? "what it imports"}${more.length > 0 ? ` and ${count(more.length, "other file")}` : ""} changed`;
}

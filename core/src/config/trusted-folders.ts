import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { HermesError } from "../base/errors.ts";
import { KeptJson } from "../base/kept-json.ts";
import { contentOf } from "./content.ts";
import { type ContentChange, changesBetween } from "./content-changes.ts";
import { type ContentHashes, hashContents, hashLines, isUnchanged } from "./content-hashes.ts";
import { envFileIn } from "./env-file.ts";
import { type Contents, contentsOf } from "./folder-contents.ts";

/** How a trusted folder differs from what was trusted. */
export interface FolderChange {
  readonly folder: string;
  /** It was trusted before Hermes kept what is in it. */
  readonly isFirst: boolean;
  readonly files: readonly ContentChange[];
  /** The current content, as it was shown. */
  readonly contents: Contents;
}

/** By real path; null where only the folder was kept, by an earlier Hermes. */
type TrustedFolders = Readonly<Record<string, ContentHashes | null>>;

/**
 * Trusts what the config of a folder runs now, or what of it was shown. Returns the folder's real path and the files.
 * Throws FOLDER_UNFIT_FOR_TRUST.
 */
export function trustFolder(
  home: string,
  folder: string,
  contents?: Contents,
): { readonly folder: string; readonly files: readonly string[] } {
  const real = realpathSync(folder);
  const unfit = whyUnfit(real);
  if (unfit !== null) throw new HermesError("FOLDER_UNFIT_FOR_TRUST", { folder: real, reason: unfit });
  const now = contents ?? contentsOf(real);
  const folders = trustedFolders(home);
  // What was not shown stays as it was.
  const instructs = folders[real]?.instructs;
  listOf(home).write({ version: 2, folders: { ...folders, [real]: { ...hashContents(now), instructs } } });
  return { folder: real, files: [...now].flatMap(([place, text]) => (text === null ? [] : place)) };
}

/** Trusts what instructs agents in a trusted folder, as it stands or as it was shown. */
export function trustInstructions(home: string, folder: string, file: string, text = contentOf(file)): void {
  const real = realpathSync(folder);
  const folders = trustedFolders(home);
  const hashes = folders[real];
  if (hashes == null) return;
  const instructs = hashContents(new Map([[file, text]]));
  listOf(home).write({ version: 2, folders: { ...folders, [real]: { ...hashes, instructs } } });
}

/** Whether what instructs agents in a folder is as it was when that was trusted. */
export function trustOfInstructions(
  home: string,
  folder: string,
  file: string,
  text: string,
): "trusted" | "changed" | "untrusted" {
  const kept = trustedFolders(home)[folder]?.instructs;
  const lines = kept?.places[file];
  if (kept === undefined || lines == null) return "untrusted";
  return hashLines(text, kept.salt).join() === lines.join() ? "trusted" : "changed";
}

/** How instructions differ from what was trusted, for a person to look at. */
export function changeOfInstructions(home: string, folder: string, file: string): FolderChange {
  const contents: Contents = new Map([[file, contentOf(file)]]);
  const before = trustedFolders(home)[folder]?.instructs ?? null;
  return { folder, isFirst: false, files: changesBetween(before, contents), contents };
}

/** Whether a folder was trusted, whatever is in it now. */
export function isTrustedFolder(home: string, folder: string): boolean {
  const real = realPathOf(folder);
  return real !== null && Object.hasOwn(trustedFolders(home), real);
}

/**
 * Keeps a trusted folder trusted with a file of it that Hermes itself wrote at its user's command. Whatever else changed
 * there is asked about as before. Does nothing for a folder that is not trusted.
 */
export function trustOwnEdit(home: string, folder: string, place: string): void {
  const real = realpathSync(folder);
  const folders = trustedFolders(home);
  const hashes = folders[real];
  if (hashes == null) return;
  const { salt, places, instructs } = hashes;
  const text = contentOf(place);
  const lines = text === null ? null : hashLines(text, salt);
  listOf(home).write({
    version: 2,
    folders: { ...folders, [real]: { salt, places: { ...places, [place]: lines }, instructs } },
  });
}

/** What is not as it was trusted in a trusted folder; null where nothing is. */
export function changesIn(home: string, folder: string): FolderChange | null {
  const real = realpathSync(folder);
  const trusted = trustedFolders(home)[real] ?? null;
  // Earlier versions kept nothing of a `.env`, since they did not read it.
  const envFile = envFileIn(real);
  const isEnvKept = trusted !== null && (Object.hasOwn(trusted.places, envFile) || contentOf(envFile) === null);
  if (isEnvKept && isUnchanged(trusted)) return null;
  const contents = contentsOf(real);
  return { folder: real, isFirst: trusted === null, files: changesBetween(trusted, contents), contents };
}

/**
 * Why a folder can be nobody's project: somebody else could change what is in it, or everything lies in it. Null where it
 * can. `isNew`: what is going to be made in it is meant, which in one like /tmp nobody else can replace.
 */
export function whyUnfit(folder: string, { isNew = false }: { readonly isNew?: boolean } = {}): string | null {
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) return "it is a file";
  if (dirname(folder) === folder && !isNew) return "everything on this machine lies in it";
  for (let at = folder; ; at = dirname(at)) {
    const { mode } = lstatSync(at);
    // In one like /tmp nobody can replace the folder itself.
    const isOpen =
      process.geteuid !== undefined && (mode & 0o002) !== 0 && ((at === folder && !isNew) || (mode & 0o1000) === 0);
    if (isOpen) return at === folder ? "everybody may write to it" : `everybody may write to ${at}`;
    if (at === dirname(at)) return null;
  }
}

function realPathOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function trustedFolders(home: string): TrustedFolders {
  return listOf(home).read().folders;
}

/** Where there is no list, or one that cannot be read, nothing is trusted. */
function listOf(home: string): KeptJson<{ readonly version: 2; readonly folders: TrustedFolders }> {
  return new KeptJson(join(home, "trusted-folders.json"), {
    empty: { version: 2, folders: {} },
    parse(kept) {
      // The first form: a list of folders.
      if (Array.isArray(kept))
        return { version: 2, folders: Object.fromEntries(kept.map((one) => [String(one), null])) };
      const { version, folders } = kept as { version?: unknown; folders?: TrustedFolders };
      return { version: 2, folders: version === 2 && typeof folders === "object" ? folders : {} };
    },
  });
}

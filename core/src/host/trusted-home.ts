import { chmodSync, lstatSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin } from "../permissions/files.ts";
import { CODE_CACHE, type Opening, openingsOf } from "./home-openings.ts";

interface TrustedHome {
  readonly version: 1;
  /** User ids whose files count as the user's own. */
  readonly owners: readonly number[];
  /** Paths that could not be closed: on a file system without permissions, or a parent folder that belongs to others. */
  readonly open: readonly string[];
}

const NOTHING: TrustedHome = { version: 1, owners: [], open: [] };

/** Finds the openings of a home that were not accepted with `hermes trust --home`. */
export function untrustedOpenings(home: string): Opening[] {
  const found = openingsOf(home);
  if (found.length === 0) return [];
  const { owners, open } = readTrust(home);
  return found.filter(({ path, uid, why }) =>
    why === "belongs to somebody else" ? !owners.includes(uid) : !open.includes(path),
  );
}

/**
 * Closes a home to others as far as possible, and trusts its content from now on. Returns what was open. Deletes compiled
 * configs and code, since people cannot review them.
 */
export function trustHome(home: string): Opening[] {
  const real = realpathSync(home);
  const before = untrustedOpenings(home);
  for (const { path } of before) if (isWithin(real, path)) closeToWriters(path, path === real ? 0o077 : 0o022);
  for (const name of [join("cache", "config"), CODE_CACHE]) rmSync(join(real, name), { recursive: true, force: true });
  const left = openingsOf(home);
  writeTrust(home, {
    version: 1,
    owners: [...new Set(left.flatMap(({ uid, why }) => (why === "belongs to somebody else" ? uid : [])))],
    open: left.flatMap(({ path, why }) => (why === "may be written to by others" ? path : [])),
  });
  return before;
}

function closeToWriters(path: string, rights: number): void {
  try {
    const stat = lstatSync(path);
    if (!stat.isSymbolicLink()) chmodSync(path, stat.mode & 0o7777 & ~rights);
  } catch {
    // It belongs to another user, or the file system has no permissions: it is trusted as it is.
  }
}

function readTrust(home: string): TrustedHome {
  const file = fileOf(home);
  try {
    const { uid, mode } = lstatSync(file);
    // Others could create this file, but not one that belongs to this user.
    if (uid !== process.geteuid?.() || (mode & 0o022) !== 0) return NOTHING;
    const { version, owners, open } = JSON.parse(readFileSync(file, "utf8")) as Partial<TrustedHome>;
    return version === 1 && Array.isArray(owners) && Array.isArray(open) ? { version, owners, open } : NOTHING;
  } catch {
    return NOTHING;
  }
}

function writeTrust(home: string, trust: TrustedHome): void {
  const draft = `${fileOf(home)}.new`;
  // Otherwise a link that others left there would be followed.
  rmSync(draft, { recursive: true, force: true });
  writeFileSync(draft, `${JSON.stringify(trust, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, fileOf(home));
}

function fileOf(home: string): string {
  return join(home, "trusted-home.json");
}

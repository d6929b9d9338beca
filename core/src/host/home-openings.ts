import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Where Node keeps its own copies of code in a home. They are run unseen, so nobody else may ever have written there. */
export const CODE_CACHE = join("cache", "compiled");

/** A file or folder in a home, or on the path to it, that somebody else could have created or changed. */
export interface Opening {
  readonly path: string;
  /** The owner's user id. */
  readonly uid: number;
  readonly why: "belongs to somebody else" | "may be written to by others";
}

/**
 * Finds everything through which others could have put something into a home: folders on the path to it, the home itself,
 * and its content. Empty on a system without file owners.
 */
export function openingsOf(home: string): Opening[] {
  if (process.geteuid === undefined) return [];
  const real = realpathSync(home);
  return [...onTheWayTo(home), ...ofHome(real), ...within(real)];
}

/** Checks the home itself, which must be closed to everybody, its group included. */
function ofHome(home: string): Opening[] {
  const stat = lstatSync(home);
  if (!isOurs(stat)) return [{ path: home, uid: stat.uid, why: "belongs to somebody else" }];
  return (stat.mode & 0o022) === 0 ? [] : [{ path: home, uid: stat.uid, why: "may be written to by others" }];
}

/** Checks the folders on the path: somebody who may write to one of them can replace the home. */
function onTheWayTo(path: string, seen = new Set<string>()): Opening[] {
  const found: Opening[] = [];
  for (const part of partsOf(path)) {
    if (seen.has(part)) continue;
    seen.add(part);
    const stat = lstatSync(part, { throwIfNoEntry: false });
    if (stat === undefined) break;
    if (stat.isSymbolicLink()) {
      if (!isOurs(stat)) found.push({ path: part, uid: stat.uid, why: "belongs to somebody else" });
      const rest = path.slice(part.length);
      return [...found, ...onTheWayTo(join(resolve(dirname(part), readlinkSync(part)), rest), seen)];
    }
    if (part === path) break;
    // In a sticky folder such as /tmp, only the owner of an entry can replace it.
    const isSticky = (stat.mode & 0o1000) !== 0;
    found.push(...openingOf(part, isSticky ? { ...stat, mode: 0 } : stat));
  }
  return found;
}

function partsOf(path: string): string[] {
  const parts = [path];
  for (let at = path; dirname(at) !== at; at = dirname(at)) parts.unshift(dirname(at));
  return parts;
}

/** Folders of which only the entries are checked, not their content: others can write there only through the entries. */
const LOOKED_AT_FROM_OUTSIDE = ["node_modules", ".git"];

function within(folder: string): Opening[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Another process has just removed it.
    if (stat === undefined) return [];
    if (stat.isSymbolicLink()) return ofLink(path, stat);
    const own = openingOf(path, stat);
    if (!stat.isDirectory() || own.some(({ why }) => why === "belongs to somebody else")) return own;
    if (LOOKED_AT_FROM_OUTSIDE.includes(entry.name)) return [...own, ...packagesIn(path)];
    return [...own, ...within(path)];
  });
}

function packagesIn(folder: string): Opening[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return stat && !isOurs(stat) ? openingOf(path, stat) : [];
    return [...openingOf(path, stat), ...(name.startsWith("@") && stat.isDirectory() ? packagesIn(path) : [])];
  });
}

/** Checks a link by its target and by the path to it: others may be able to write to the target, or to replace it. */
function ofLink(path: string, stat: Stats): Opening[] {
  if (!isOurs(stat)) return openingOf(path, stat);
  const onTheWay = onTheWayTo(resolve(dirname(path), readlinkSync(path)));
  const end = statSync(path, { throwIfNoEntry: false });
  return end === undefined ? onTheWay : [...onTheWay, ...openingOf(realpathSync(path), end)];
}

function openingOf(path: string, { uid, gid, mode }: Pick<Stats, "uid" | "gid" | "mode">): Opening[] {
  if (!isOurs({ uid })) return [{ path, uid, why: "belongs to somebody else" }];
  // Many systems give each user a group of their own, with the right to write.
  const isOwnGroup = gid === process.getegid?.() || gid === 0;
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isOwnGroup);
  return isOpen ? [{ path, uid, why: "may be written to by others" }] : [];
}

/** Whether a file belongs to this user, or to root, who can do anything anyway. */
function isOurs({ uid }: Pick<Stats, "uid">): boolean {
  return uid === process.geteuid?.() || uid === 0;
}

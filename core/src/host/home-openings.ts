import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

/** Something in a home, or on the way to it, that somebody else could have put there or changed. */
export interface Opening {
  readonly path: string;
  /** Whom it belongs to. */
  readonly uid: number;
  readonly why: "belongs to somebody else" | "may be written to by others";
}

/**
 * Everything by which others could have brought something into a home: folders on the way to it, the home, and what is
 * in it. Empty where the system knows no owners.
 */
export function openingsOf(home: string): Opening[] {
  if (process.geteuid === undefined) return [];
  const real = realpathSync(home);
  return [...onTheWayTo(home), ...ofHome(real), ...within(real)];
}

/** The home itself is meant to be closed to everybody: its group, too. */
function ofHome(home: string): Opening[] {
  const stat = lstatSync(home);
  if (!isOurs(stat)) return [{ path: home, uid: stat.uid, why: "belongs to somebody else" }];
  return (stat.mode & 0o022) === 0 ? [] : [{ path: home, uid: stat.uid, why: "may be written to by others" }];
}

/** Whoever may write to a folder on the way can put another home in the place of this one. */
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
    // In one like /tmp, only who owns an entry can replace it.
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

/** Others cannot write into a package that is there unless they could write to its folder. */
const LOOKED_AT_FROM_OUTSIDE = ["node_modules", ".git"];

function within(folder: string): Opening[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Another process removed it just now.
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

/** A link counts for where it leads, and by which links: to what others can write, or change for something else. */
function ofLink(path: string, stat: Stats): Opening[] {
  if (!isOurs(stat)) return openingOf(path, stat);
  const onTheWay = onTheWayTo(resolve(dirname(path), readlinkSync(path)));
  const end = statSync(path, { throwIfNoEntry: false });
  return end === undefined ? onTheWay : [...onTheWay, ...openingOf(realpathSync(path), end)];
}

function openingOf(path: string, { uid, gid, mode }: Pick<Stats, "uid" | "gid" | "mode">): Opening[] {
  if (!isOurs({ uid })) return [{ path, uid, why: "belongs to somebody else" }];
  // Many systems give each person a group of their own, and let it write.
  const isOwnGroup = gid === process.getegid?.() || gid === 0;
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isOwnGroup);
  return isOpen ? [{ path, uid, why: "may be written to by others" }] : [];
}

/** The machine's administrator can do anything as it is. */
function isOurs({ uid }: Pick<Stats, "uid">): boolean {
  return uid === process.geteuid?.() || uid === 0;
}

/** Whether `path` is `folder` or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

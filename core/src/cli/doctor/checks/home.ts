import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { asHermesError, HermesError } from "../../../base/errors.ts";
import { count } from "../../../base/text.ts";
import { nearestExisting } from "../../../base/upwards-from.ts";
import { makeHome } from "../../../host/home.ts";
import { untrustedOpenings } from "../../../host/trusted-home.ts";
import { type Check, type DoctorFinding, ofError, ok, problem, warning } from "../check.ts";

export const homeCheck: Check = {
  name: "home",
  title: "Home",
  async run({ home, clock }) {
    const stat = statSync(home, { throwIfNoEntry: false });
    if (stat === undefined) return [missing(home)];
    if (!stat.isDirectory()) {
      return [ofError(new HermesError("HOME_NOT_PRIVATE", { folder: home, reason: "it is a file" }))];
    }
    const found = [...openings(home), ...modes(home, stat), ...writable(home), ...leftovers(home, clock.now())];
    const real = realpathSync(home);
    const name = real === home ? home : `${home} (which leads to ${real})`;
    return found.length > 0 ? found : [ok(`${name} is yours, and closed to others.`)];
  },
};

function missing(home: string): DoctorFinding {
  const above = nearestExisting(home);
  if (!isWritableFolder(above)) {
    return problem(
      `There is no ${home}, and it cannot be made: nothing can be written in ${above}.`,
      "Set HERMES_HOME to a folder of your own.",
    );
  }
  if (lstatSync(home, { throwIfNoEntry: false })?.isSymbolicLink()) {
    return problem(
      `${home} is a link that leads nowhere.`,
      `Make the folder that it leads to, or remove it: \`rm ${home}\`.`,
    );
  }
  return warning(`There is no ${home} yet.`, "The next command makes it, such as `hermes`.", () => {
    makeHome(home);
    return `Made ${home}.`;
  });
}

function isWritableFolder(path: string): boolean {
  try {
    // With the dot, a file is none.
    accessSync(`${path}/.`, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function openings(home: string): DoctorFinding[] {
  try {
    const found = untrustedOpenings(home);
    if (found.length === 0) return [];
    const what = found.slice(0, 3).map(({ path, why }) => `${path} ${why}`);
    const more = found.length > 3 ? `, and ${found.length - 3} more such` : "";
    return [ofError(new HermesError("HOME_OPEN_TO_OTHERS", { folder: home, what: `${what.join(", ")}${more}` }))];
  } catch (error) {
    return [ofError(asHermesError(error))];
  }
}

/** What others on the machine may read. */
function modes(home: string, { mode, uid }: Stats): DoctorFinding[] {
  if (process.geteuid === undefined) return [];
  if (uid !== process.geteuid()) {
    return uid === 0 || process.geteuid() === 0
      ? []
      : [
          problem(
            `${home} belongs to another user.`,
            "Set HERMES_HOME to a folder of your own, or run `hermes trust --home`.",
          ),
        ];
  }
  const findings: DoctorFinding[] = [];
  if ((mode & 0o077) !== 0) {
    findings.push(open(`Others on this machine may look into ${home}.`, [{ path: home, mode: 0o700 }]));
  }
  const paths = [...privateFolders(home), ...privateFiles(home)].filter(({ path }) => isOpen(path));
  if (paths.length > 0) {
    const [first] = paths;
    const more = paths.length > 1 ? ` and ${count(paths.length - 1, "other")} in ${home}` : "";
    findings.push(open(`${first?.path}${more} would be read by others if the home were open.`, paths));
  }
  return findings;
}

interface Wanted {
  readonly path: string;
  readonly mode: number;
}

function open(message: string, paths: readonly Wanted[]): DoctorFinding {
  const commands = paths.slice(0, 3).map(({ path, mode }) => `\`chmod ${mode.toString(8)} ${path}\``);
  return warning(message, `Run ${commands.join(", ")}${paths.length > 3 ? " and so on" : ""}.`, () => {
    for (const { path, mode } of paths) chmodSync(path, mode);
    return `Closed ${paths.length === 1 ? paths[0]?.path : count(paths.length, "place")} to others.`;
  });
}

function privateFolders(home: string): Wanted[] {
  return ["store", "logs", "plugins", "backups"].map((name) => ({ path: join(home, name), mode: 0o700 }));
}

/** What holds transcripts or secrets, or says what is trusted. */
function privateFiles(home: string): Wanted[] {
  const store = ["", "-wal", "-shm"].map((end) => join(home, "store", `hermes.db${end}`));
  const trust = ["trusted-folders.json", "trusted-home.json", "codes.key"].map((name) => join(home, name));
  const logs = ["hermes.log", "hermes.log.1"].map((name) => join(home, "logs", name));
  return [...store, ...trust, ...logs].map((path) => ({ path, mode: 0o600 }));
}

function isOpen(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isSymbolicLink() && stat.uid === process.geteuid?.() && (stat.mode & 0o077) !== 0;
}

function writable(home: string): DoctorFinding[] {
  const places = [home, join(home, "store")].filter((path) => existsSync(path));
  return places.flatMap((path) => {
    try {
      accessSync(path, constants.W_OK);
      return [];
    } catch (error) {
      const isReadOnly = (error as NodeJS.ErrnoException).code === "EROFS";
      const why = isReadOnly ? "its file system is read-only" : "you have no right to";
      const hint = isReadOnly
        ? "Mount it for writing, or set HERMES_HOME to another place."
        : `Run \`chmod u+w ${path}\`.`;
      return [problem(`Nothing can be written in ${path}: ${why}.`, hint)];
    }
  });
}

/** How old the draft of a file has to be before nobody can be at it, in milliseconds. */
const OLD_MS = 24 * 60 * 60_000;

/** Drafts of files whose writer was killed: `<file>.<pid>.new`. */
function leftovers(home: string, now: number): DoctorFinding[] {
  const drafts = readdirSync(home)
    .filter((name) => isDraftOfNobody(home, name, now))
    .map((name) => join(home, name));
  if (drafts.length === 0) return [];
  const message = `${count(drafts.length, "draft")} of a file ${drafts.length === 1 ? "was" : "were"} left by a process that was killed.`;
  return [
    warning(message, `Run \`rm ${drafts.slice(0, 3).join(" ")}\`.`, () => {
      for (const draft of drafts) rmSync(draft);
      return `Removed ${count(drafts.length, "draft")}.`;
    }),
  ];
}

function isDraftOfNobody(home: string, name: string, now: number): boolean {
  const pid = Number(/\.(\d+)\.new$/.exec(name)?.[1]);
  const stat = lstatSync(join(home, name), { throwIfNoEntry: false });
  if (!Number.isSafeInteger(pid) || !stat?.isFile() || now - stat.mtimeMs < OLD_MS) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

import { readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { asHermesError, reasonOf } from "../../../base/errors.ts";
import { ageText, count, sizeText } from "../../../base/text.ts";
import { findStoreDamage, storeRepairs } from "../../../host/open-store.ts";
import type { StoreContent, StoreDamage, StoreReport } from "../../../store/store-report.ts";
import { type Check, type DoctorContext, type DoctorFinding, ofError, ok, problem, warning } from "../check.ts";

/** A write-ahead log that is longer was not emptied for a while, in bytes. */
const LONG_LOG = 64 * 1024 * 1024;

/** How long the file is looked through for damage, in milliseconds. */
const LOOK_THROUGH_MS = 8_000;

/** So many messages are taken into the index within a few seconds. */
const FEW_MESSAGES = 5_000;

const RESTORE =
  "Stop the gateway (`hermes gateway stop`), then run `hermes restore <file>` with the last file of `hermes backup`.";

export const storeCheck: Check = {
  name: "store",
  title: "Store",
  async run(context, signal) {
    const report = await context.store().catch((error: unknown) => error);
    if (!isReport(report)) return [failed(report)];
    if (report.size === null) return [ok(`There is no store yet: ${report.file} is made with the first session.`)];
    const damage = await findStoreDamage(report.file, LOOK_THROUGH_MS, signal);
    const found = [
      ...ofTables(report),
      ...ofDamage(report, damage),
      ...ofLog(report),
      ...onNetwork(report.file, context),
    ];
    const { content } = report;
    return [
      ...found,
      ...(content === null ? [] : ofContent(content)),
      ...(found.some(({ state }) => state === "problem") ? [] : [summary(report, damage)]),
      ...ofCopies(context),
    ];
  },
};

function isReport(value: unknown): value is StoreReport {
  return typeof value === "object" && value !== null && "knownVersion" in value;
}

function failed(error: unknown): DoctorFinding {
  // The driver is a binary for one version of Node.js.
  if (/bindings file|NODE_MODULE_VERSION|ERR_DLOPEN/.test(String(error))) {
    const hint = "Run `npm rebuild better-sqlite3` where Hermes is installed.";
    return problem(`The database's driver does not fit this Node.js: ${reasonOf(error).slice(0, 200)}.`, hint);
  }
  const known = asHermesError(error);
  if (known.code === "STORE_UNREADABLE" && /malformed|not a database/.test(known.message)) {
    return problem(known.message, RESTORE);
  }
  return ofError(known, known.code === "STORE_BUSY" ? "warning" : "problem");
}

function ofTables({ version, knownVersion }: StoreReport): DoctorFinding[] {
  if (version > knownVersion) {
    const message = `A newer Hermes wrote the store (tables ${version}; this one knows ${knownVersion}).`;
    return [problem(message, "Upgrade Hermes: `npm install @hermes/core@latest`.")];
  }
  if (version === knownVersion || version === 0) return [];
  return [
    ok(
      `An older Hermes wrote the store (tables ${version} of ${knownVersion}): the next command brings it up to date.`,
    ),
  ];
}

function ofDamage({ file, size }: StoreReport, damage: StoreDamage | null): DoctorFinding[] {
  if (damage === null) {
    const message = `The check of the store did not finish within ${LOOK_THROUGH_MS / 1_000} s`;
    return [ok(`${message}: it is large, or busy (${sizeText(size ?? 0)}).`)];
  }
  const { rows, isOfIndex } = damage;
  if (rows.length === 0) return [];
  if (isOfIndex) {
    const message = "The index that a search reads is damaged; no message is.";
    return [
      problem(message, "Run `hermes doctor --fix`: it is built anew.", async () => {
        await storeRepairs.rebuildIndex(file);
        return "The index is built anew, from the next command on.";
      }),
    ];
  }
  const more = rows.length > 1 ? ` (and ${rows.length - 1} more)` : "";
  return [problem(`The store ${file} is damaged: ${reasonOf(rows[0])}${more}.`, RESTORE)];
}

function ofLog({ logSize, file }: StoreReport): DoctorFinding[] {
  if (logSize <= LONG_LOG) return [];
  const message = `The store's write-ahead log has grown to ${sizeText(logSize)}.`;
  return [
    warning(
      message,
      "Run `hermes doctor --fix`; a stuck process that reads the store keeps it that large.",
      async () => {
        if (await storeRepairs.emptyLog(file)) return "Emptied the write-ahead log.";
        throw new Error("somebody reads an old state of the store");
      },
    ),
  ];
}

function ofContent({ failed, waiting, notIndexed }: StoreContent): DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  if (failed > 0) {
    const hint = "`hermes deliveries` lists them; `hermes deliveries retry` sends one again, `drop` gives it up.";
    findings.push(warning(`${count(failed, "message")} did not arrive.`, hint));
  }
  if (waiting > 0) findings.push(ok(`${count(waiting, "message")} ${waiting === 1 ? "is" : "are"} on the way.`));
  if (notIndexed > FEW_MESSAGES) {
    findings.push(ok(`${notIndexed} messages are still to be indexed: the first search takes a while.`));
  }
  return findings;
}

function summary({ file, size, logSize }: StoreReport, damage: StoreDamage | null): DoctorFinding {
  return ok(
    `${file} can be read${damage === null ? "" : ", and is whole"} (${sizeText(size ?? 0)}, log ${sizeText(logSize)}).`,
  );
}

/** File systems on which locks, or what one process shows another in memory, cannot be relied on. */
const NETWORKED =
  /^(nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|lustre|glusterfs|davfs|fuse\.(sshfs|glusterfs|davfs2|rclone|s3fs))$/;

function onNetwork(file: string, { machine }: DoctorContext): DoctorFinding[] {
  const folder = realpathSync(dirname(file));
  const mounts = machine
    .mounts()
    .split("\n")
    .map((line) => line.split(" "))
    .map(([, place = "", kind = ""]) => ({ place: place.replaceAll("\\040", " "), kind }))
    .filter(
      ({ place }) => place !== "" && (folder === place || folder.startsWith(place.endsWith(sep) ? place : place + sep)),
    );
  const mount = mounts.sort((a, b) => b.place.length - a.place.length)[0];
  if (mount === undefined || !NETWORKED.test(mount.kind)) return [];
  const hint = "Set HERMES_HOME to a folder on a disk of this machine.";
  return [warning(`The store lies on a network file system (${mount.kind}), which may damage it.`, hint)];
}

/** What Hermes itself keeps: the store as it was before the last updates of its tables. */
function ofCopies({ home, clock }: DoctorContext): DoctorFinding[] {
  const folder = join(home, "backups");
  try {
    const times = readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs);
    if (times.length === 0) return [];
    const age = ageText(clock.now() - Math.max(...times));
    return [ok(`${folder} has a copy from before the last update of its tables, ${age} old.`)];
  } catch {
    return [];
  }
}

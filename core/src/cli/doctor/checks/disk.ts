import { realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { sizeText } from "../../../base/text.ts";
import { nearestExisting } from "../../../base/upwards-from.ts";
import { type Check, type DoctorContext, type DoctorFinding, ok, problem, warning } from "../check.ts";

const MB = 1024 * 1024;
const LITTLE_BYTES = 500 * MB;
const NOTHING_BYTES = 50 * MB;
const FEW_FILES = 1_000;

export const diskCheck: Check = {
  name: "disk",
  title: "Disk",
  async run({ home, machine }) {
    const places = [home, tmpdir()].map((path) => realpathSync(nearestExisting(path)));
    const disks = new Map(places.map((path) => [statSync(path).dev, path]));
    // The home speaks for the disk that it shares with others.
    for (const path of places.toReversed()) disks.set(statSync(path).dev, path);
    return (await Promise.all([...disks.values()].map((path) => examineDisk(path, machine)))).flat();
  },
};

async function examineDisk(path: string, machine: DoctorContext["machine"]): Promise<DoctorFinding[]> {
  const { freeBytes, freeFiles } = await machine.diskOf(path);
  const hint = `Free some: \`df -h ${path}\` shows what is used; \`du -xh ${path} | sort -h\` by what.`;
  const text = `The disk of ${path} has ${sizeText(freeBytes)} free`;
  const findings: DoctorFinding[] = [];
  if (freeBytes < NOTHING_BYTES) findings.push(problem(`${text}: Hermes stops as soon as it is full.`, hint));
  else if (freeBytes < LITTLE_BYTES) findings.push(warning(`${text}, which is little.`, hint));
  if (freeFiles !== null && freeFiles < FEW_FILES) {
    const message = `The disk of ${path} takes only ${freeFiles} more files.`;
    const remove = `Remove some: \`df -i ${path}\` shows how many there are.`;
    findings.push(freeFiles === 0 ? problem(message, remove) : warning(message, remove));
  }
  return findings.length > 0 ? findings : [ok(`${text}.`)];
}

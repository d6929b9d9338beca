import { writeFileSync } from "node:fs";
import { extname, resolve, sep } from "node:path";
import { HermesError, reasonOf } from "../../base/errors.ts";
import { nearMiss } from "../../base/near-miss.ts";
import { type ImportModule, importModule as importNatively } from "../../plugin/load-part.ts";
import type { CliContext } from "../context.ts";
import { type Conformance, findConformance } from "./find-conformance.ts";
import { printFinding, printReport } from "./print-report.ts";
import { importTestingPackage, type Subjects, type TestingPackage } from "./testing-package.ts";

interface ProveOptions {
  readonly only?: readonly string[];
  readonly badge?: string;
}

/** `hermes prove [path]`: returns 1 if a proof failed. */
export async function prove(
  { io, output }: CliContext,
  path: string | undefined,
  { only, badge }: ProveOptions,
): Promise<number> {
  if (only !== undefined && badge !== undefined) throw misused("A badge is of all proofs: leave out --only");
  const conformance = findConformance(path ?? ".", io.workingDirectory);
  const kit = await importTestingPackage(conformance, io.workingDirectory, importNatively);
  const subjects = await importSubjects(conformance, kit);
  const ids = only === undefined ? null : chosenIds(only, kit.proofIdsOf(subjects));
  let rule = "";
  const report = await kit.provePackage(
    subjects,
    { package: conformance.package, only: ids },
    {
      ended(finding) {
        printFinding(output, finding, finding.rule !== rule);
        rule = finding.rule;
      },
    },
  );
  if (badge !== undefined) writeFileSync(resolve(io.workingDirectory, badge), kit.badgeOf(report));
  output.document(report);
  printReport(output, report, kit);
  return report.failed > 0 ? 1 : 0;
}

async function importSubjects({ file }: Conformance, kit: TestingPackage): Promise<Subjects> {
  const invalid = (reason: string, cause?: unknown) =>
    new HermesError("PROVE_SUBJECT_INVALID", { file, reason }, { cause });
  const module = await importSource(file).catch((error: unknown) => {
    throw invalid(`importing it failed: ${reasonOf(error)}`, error);
  });
  const subjects = kit.subjectsIn(module);
  if (subjects === null) throw invalid("it exports no `subject` with a name, createEmulator, descriptor and homes");
  return subjects;
}

/** TypeScript is compiled where Node does not read it: by an older one, or in a package that is installed. */
const importSource: ImportModule = async (file) => {
  const isNative = process.features.typescript && !file.split(sep).includes("node_modules");
  if (!/^\.[cm]?ts$/.test(extname(file)) || isNative) return importNatively(file);
  const { createJiti } = await import("jiti");
  return createJiti(import.meta.url, { fsCache: false, interopDefault: false }).import(file);
};

/** The ids of proofs that are named, or whose part before the slash is. Throws USAGE for a name that fits none. */
function chosenIds(names: readonly string[], known: readonly string[]): string[] {
  const chosen = names
    .flatMap((name) => name.split(","))
    .flatMap((name) => {
      const fitting = known.filter((id) => id === name || id.startsWith(`${name}/`));
      if (fitting.length > 0) return fitting;
      const meant = nearMiss(name, [...known, ...known.map((id) => id.split("/")[0] ?? id)]);
      throw misused(`There is no proof ${name}${meant === null ? "" : `; did you mean ${meant}?`}`);
    });
  return [...new Set(chosen)];
}

function misused(reason: string): HermesError {
  return new HermesError("USAGE", { reason, command: "hermes prove" });
}

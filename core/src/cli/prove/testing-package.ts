import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { HermesError } from "../../base/errors.ts";
import type { ImportModule } from "../../plugin/load-part.ts";
import { type Conformance, checkOwn } from "./find-conformance.ts";

const PACKAGE = "@hermes/testing";

/** What is printed of a finding; the whole report is in the package. */
export interface ProofResult {
  readonly subject?: string;
  readonly id: string;
  readonly rule: string;
  readonly proof: string;
  readonly result: "passed" | "failed" | "not claimed";
  readonly detail?: string;
  readonly toClaim?: string;
  readonly milliseconds: number;
}

export interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly notClaimed: number;
  readonly findings: readonly ProofResult[];
}

/** Subjects of the kit, by their names. */
export type Subjects = Readonly<Record<string, object>>;

export interface TestingPackage {
  /** Null if a module exports no subject. */
  subjectsIn(module: unknown): Subjects | null;
  proofIdsOf(subjects: Subjects): readonly string[];
  provePackage(
    subjects: Subjects,
    about: {
      readonly package: { readonly name: string; readonly version: string | null };
      readonly only: readonly string[] | null;
    },
    progress: { ended(finding: ProofResult): void },
  ): Promise<Report>;
  describeFailure(finding: ProofResult): readonly string[];
  badgeOf(report: Report): string;
}

/**
 * Imports the kit of the subject's project, else of the one in which somebody stands: a package that is installed need
 * not have it. Hermes itself comes without. Throws PLUGIN_NEEDS_PACKAGE, FOLDER_UNFIT_FOR_TRUST.
 */
export async function importTestingPackage(
  { file, package: { name } }: Conformance,
  workingDirectory: string,
  importModule: ImportModule,
): Promise<TestingPackage> {
  const path = resolveFrom(file) ?? resolveFrom(join(workingDirectory, "hermes.js"));
  if (path === null) {
    throw new HermesError("PLUGIN_NEEDS_PACKAGE", { package: name, needed: PACKAGE, purpose: "its proofs" });
  }
  checkOwn(dirname(path), path);
  return (await importModule(path)) as TestingPackage;
}

function resolveFrom(file: string): string | null {
  try {
    return createRequire(file).resolve(PACKAGE);
  } catch {
    return null;
  }
}

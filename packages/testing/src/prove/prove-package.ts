import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { reasonOf } from "@hermes/core";
import { proofsOf } from "../adapter-kit/all-proofs.ts";
import { type ProofProgress, proveAdapter } from "../adapter-kit/prove-adapter.ts";
import { type AdapterFinding, docsOf } from "../adapter-kit/run-proof.ts";
import type { AdapterUnderTest } from "../adapter-kit/subject.ts";
import { type AdapterReport, adapterReportOf, type ReportedFinding } from "./report.ts";

/** The subjects that a conformance module exports, by their names; one without a name has the empty one. */
export type Subjects = Readonly<Record<string, AdapterUnderTest>>;

/**
 * The subjects among the exports of a conformance module: `subject` (or the default export), or `subjects`, an object
 * with one for each kind of account. Null if there are none.
 */
export function subjectsIn(module: unknown): Subjects | null {
  const { subject, subjects, default: main } = Object(module) as Record<string, unknown>;
  const one = subject ?? (isSubject(main) ? main : undefined);
  if (isSubject(one)) return { "": one };
  if (typeof subjects !== "object" || subjects === null) return null;
  const entries = Object.entries(subjects);
  return entries.length > 0 && entries.every(([, value]) => isSubject(value)) ? (subjects as Subjects) : null;
}

function isSubject(value: unknown): value is AdapterUnderTest {
  const { name, createEmulator, descriptor, homes } = Object(value) as Record<string, unknown>;
  return typeof name === "string" && [createEmulator, descriptor, homes].every((one) => typeof one === "function");
}

/** The ids of all proofs for some subjects. */
export function proofIdsOf(subjects: Subjects): string[] {
  return [...new Set(Object.values(subjects).flatMap((subject) => proofsOf(subject).map(({ id }) => id)))];
}

/** The number of proofs that `provePackage` runs. */
export function countProofs(subjects: Subjects, only: readonly string[] | null): number {
  const chosen = (id: string) => only === null || only.includes(id);
  return Object.values(subjects).reduce(
    (sum, subject) => sum + proofsOf(subject).filter(({ id }) => chosen(id)).length,
    0,
  );
}

/** Runs the proofs for the subjects of a package, one after the other. */
export async function provePackage(
  subjects: Subjects,
  about: Pick<AdapterReport, "package" | "only">,
  progress: { begins?: ProofProgress["begins"]; ended?(finding: ReportedFinding): void } = {},
): Promise<AdapterReport> {
  const findings: ReportedFinding[] = [];
  for (const [name, subject] of Object.entries(subjects)) {
    using strays = new Strays();
    const reported = new Map<string, ReportedFinding>();
    const own = await proveAdapter(subject, about.only ?? undefined, {
      begins: (proof) => progress.begins?.(proof),
      ended(finding, milliseconds) {
        const docs = docsOf(finding.id);
        const one = { ...(name === "" ? {} : { subject: name }), ...strays.blamedOn(finding), milliseconds, docs };
        reported.set(finding.id, one);
        progress.ended?.(one);
      },
    });
    findings.push(...own.flatMap(({ id }) => reported.get(id) ?? []));
  }
  return adapterReportOf({ ...about, kit: versions() }, findings);
}

/** Errors that nothing awaited, which would otherwise end the process. The proof that ran is blamed for them. */
class Strays implements Disposable {
  readonly #reasons: string[] = [];
  readonly #note = (error: unknown) => void this.#reasons.push(reasonOf(error));

  constructor() {
    for (const event of ["unhandledRejection", "uncaughtException"] as const) process.on(event, this.#note);
  }

  /** The finding, failed if there were such errors since the last one. */
  blamedOn(finding: AdapterFinding): AdapterFinding {
    const reasons = this.#reasons.splice(0);
    if (reasons.length === 0) return finding;
    const stray = `an error was thrown that nothing awaits: ${reasons.join("; ")}`;
    const detail = finding.result === "failed" ? `${finding.detail}; ${stray}` : stray;
    return { ...finding, result: "failed", detail };
  }

  [Symbol.dispose](): void {
    for (const event of ["unhandledRejection", "uncaughtException"] as const) process.off(event, this.#note);
  }
}

function versions(): AdapterReport["kit"] {
  const require = createRequire(import.meta.url);
  const versionIn = (file: string): string => JSON.parse(readFileSync(file, "utf8")).version;
  return {
    testing: versionIn(join(dirname(import.meta.filename), "..", "..", "package.json")),
    core: versionIn(require.resolve("@hermes/core/package.json")),
    node: process.version,
  };
}

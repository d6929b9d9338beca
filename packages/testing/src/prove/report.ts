import type { AdapterFinding } from "../adapter-kit/run-proof.ts";

/** The version of the report's form. It is raised by a change that a reader would trip over; fields may be added. */
export const REPORT_VERSION = 1;

/** What a run of the kit has shown of a package: the document of `hermes prove --json`. */
export interface AdapterReport {
  /** The version of this form: 1. */
  readonly reportVersion: number;
  readonly package: { readonly name: string; readonly version: string | null };
  /** The versions of what it was proved with. */
  readonly kit: { readonly testing: string; readonly core: string; readonly node: string };
  /** When the run ended, as in `2026-11-30T12:00:00.000Z`. */
  readonly provedAt: string;
  /** The ids that were asked for; null for all proofs. */
  readonly only: readonly string[] | null;
  readonly passed: number;
  readonly failed: number;
  readonly notClaimed: number;
  /** In the order of the rules, for one subject after the other. */
  readonly findings: readonly ReportedFinding[];
}

/** A finding in a report of `hermes prove`. */
export interface ReportedFinding extends AdapterFinding {
  /** The name of the subject, where a package has several. */
  readonly subject?: string;
  readonly milliseconds: number;
  /** The page within the package of the kit that tells of the proof. */
  readonly docs: string;
}

/** Counts the findings of a run. */
export function adapterReportOf(
  about: Pick<AdapterReport, "package" | "kit" | "only">,
  findings: readonly ReportedFinding[],
): AdapterReport {
  const count = (wanted: AdapterFinding["result"]) => findings.filter(({ result }) => result === wanted).length;
  return {
    reportVersion: REPORT_VERSION,
    ...about,
    provedAt: new Date().toISOString(),
    ...{ passed: count("passed"), failed: count("failed"), notClaimed: count("not claimed") },
    findings,
  };
}

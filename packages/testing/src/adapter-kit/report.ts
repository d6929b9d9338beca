import { appendFileSync } from "node:fs";
import type { AdapterFinding } from "./run-proof.ts";

/** The format of the report: one JSON document per line, or a table for people. */
export type ReportForm = "json" | "table";

/** Formats the findings. */
export function printFindings(findings: readonly AdapterFinding[], form: ReportForm): string {
  if (form === "json") return findings.map((finding) => `${JSON.stringify(finding)}\n`).join("");
  const rows = findings.map(({ platform, rule, proof, result, detail }) => [
    platform,
    rule,
    proof,
    result,
    detail ?? "",
  ]);
  const lines = [["platform", "rule", "proof", "result", "detail"], ["---", "---", "---", "---", "---"], ...rows];
  const cell = (text: string) => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
  return lines.map((line) => `| ${line.map(cell).join(" | ")} |\n`).join("");
}

/**
 * Writes the findings if the environment asks for it: `HERMES_CONFORMANCE=json` or `table`, to stdout or appended to
 * the file `HERMES_CONFORMANCE_FILE`.
 */
export function publishFindings(findings: readonly AdapterFinding[], environment = process.env): void {
  const { HERMES_CONFORMANCE: form, HERMES_CONFORMANCE_FILE: file } = environment;
  if (form !== "json" && form !== "table") return;
  const text = printFindings(findings, form);
  if (file === undefined || file === "") process.stdout.write(text);
  else appendFileSync(file, text);
}

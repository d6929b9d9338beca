import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import type { AdapterFinding } from "./run-proof.ts";

/**
 * The format of the report: one JSON document per line, a table for people, or what the adapter does not claim yet, with
 * what to write for it.
 */
export type ReportForm = "json" | "table" | "unclaimed";

/** Formats the findings. */
export function printFindings(findings: readonly AdapterFinding[], form: ReportForm): string {
  if (form === "json") return findings.map((finding) => `${JSON.stringify(finding)}\n`).join("");
  if (form === "unclaimed") return printUnclaimed(findings);
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

/** What to write is said once for all the proofs that wait for it. */
function printUnclaimed(findings: readonly AdapterFinding[]): string {
  const unclaimed = findings.filter(({ result }) => result === "not claimed");
  if (unclaimed.length === 0) return "";
  const waiting = Map.groupBy(unclaimed, ({ toClaim, detail }) => toClaim ?? detail ?? "");
  const parts = [...waiting].map(
    ([sentence, proofs]) => `  ${sentence}\n    ${proofs.map(({ id }) => id).join(", ")}\n`,
  );
  return `\nNot claimed yet (${unclaimed.length} proofs), and what to write for it (docs/… is in node_modules/@hermes/testing):\n\n${parts.join("")}\n`;
}

/** Between these two lines of a README stands the table. */
const TABLE = /(<!-- the kit's table[^\n]*-->\n)[\s\S]*?(<!-- the end of the kit's table -->)/;

/** Writes into a README, rule by rule, how many proofs passed. Returns what is wrong with it, if anything. */
function writeTable(findings: readonly AdapterFinding[], readme: string): string {
  const text = existsSync(readme) ? readFileSync(readme, "utf8") : "";
  if (!TABLE.test(text)) return `${readme} has no lines between which the kit's table could stand.\n`;
  const rows = [...Map.groupBy(findings, ({ rule }) => rule)].map(([rule, own]) => {
    const [passed, failed, unclaimed] = (["passed", "failed", "not claimed"] as const).map(
      (wanted) => own.filter(({ result }) => result === wanted).length || "",
    );
    return `| ${rule.replace(/^\d+ /, "")} | ${passed} | ${failed} | ${unclaimed} |\n`;
  });
  const table = `| rule | proved | failed | not claimed |\n| --- | --- | --- | --- |\n${rows.join("")}`;
  const written = text.replace(TABLE, (_all, begin, end) => `${begin}${table}${end}`);
  if (written !== text) writeFileSync(readme, written);
  return "";
}

export interface PublishOptions {
  /** Whether all proofs ran. A table of some of them would say too little of the adapter, and is not written. */
  readonly isWhole: boolean;
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * Writes the findings as the environment asks for it: `HERMES_CONFORMANCE` names `json`, `table` or `unclaimed`, to stdout
 * or appended to the file `HERMES_CONFORMANCE_FILE`; `readme` writes a table into the README.md of the working directory;
 * several are separated by commas.
 */
export function publishFindings(
  findings: readonly AdapterFinding[],
  { isWhole, environment = process.env }: PublishOptions,
): void {
  const { HERMES_CONFORMANCE: asked = "", HERMES_CONFORMANCE_FILE: file = "" } = environment;
  for (const form of asked.split(",")) {
    if (form === "readme" && isWhole) process.stdout.write(writeTable(findings, file || "README.md"));
    if (form !== "json" && form !== "table" && form !== "unclaimed") continue;
    const text = printFindings(findings, form);
    if (file === "") process.stdout.write(text);
    else appendFileSync(file, text);
  }
}

import type { Output } from "../../terminal/output.ts";
import { type Styled, styled } from "../../terminal/styled.ts";
import type { ProofResult, Report, TestingPackage } from "./testing-package.ts";

/** Writes the line of a proof that has just ended; above it the rule, where it is another one. */
export function printFinding(output: Output, finding: ProofResult, isOfNextRule: boolean): void {
  const { bold, dim } = output.colors;
  const { proof, milliseconds } = finding;
  if (isOfNextRule) output.line(styled`${bold(finding.rule)}`);
  output.line(
    styled`  ${signOf(output, finding)} ${nameOf(finding)}  ${proof} ${dim(`(${(milliseconds / 1_000).toFixed(1)} s)`)}`,
  );
}

/** Writes what failed and why, what is not claimed and how it would be, and how many there were of each. */
export function printReport(output: Output, report: Report, { describeFailure }: TestingPackage): void {
  const { bold, dim, green, red } = output.colors;
  const { passed, failed, notClaimed, findings } = report;
  for (const finding of findings.filter(({ result }) => result === "failed")) {
    output.line();
    output.line(styled`${signOf(output, finding)} ${bold(nameOf(finding))}: ${finding.proof}`);
    for (const line of describeFailure(finding)) output.line(`    ${line}`);
  }
  const unclaimed = findings.filter(({ result }) => result === "not claimed");
  if (unclaimed.length > 0) {
    output.line();
    output.line("Not claimed:");
  }
  for (const finding of unclaimed) {
    output.line(styled`  ${signOf(output, finding)} ${nameOf(finding)}: ${finding.detail ?? ""}`);
    output.line(styled`    ${dim(`To claim it: ${finding.toClaim ?? ""}`)}`);
  }
  output.line();
  const sum = `${passed} of ${passed + failed} proofs passed; ${notClaimed} not claimed.`;
  output.line(failed > 0 ? red(sum) : green(sum));
}

function signOf(output: Output, { result }: ProofResult): Styled {
  const { dim, green, red } = output.colors;
  if (result === "not claimed") return dim("–");
  return result === "passed" ? green("✓") : red("✗");
}

function nameOf({ subject, id }: ProofResult): string {
  return subject === undefined ? id : `${id} (${subject})`;
}

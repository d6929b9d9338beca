import { count } from "../../base/text.ts";
import type { Finding } from "../../plugin/plugin-setup.ts";
import { wantsPlainText } from "../../terminal/io.ts";
import type { Output } from "../../terminal/output.ts";
import { type Styled, styled } from "../../terminal/styled.ts";

/** A finding as `--json` has it, and whether `--fix` would mend it. */
export interface ShownFinding {
  readonly check: string;
  readonly state: Finding["state"];
  readonly message: string;
  readonly hint: string | null;
  /** What `--fix` did about it; null where it did nothing. */
  readonly fixed: string | null;
  readonly isFixable: boolean;
}

const SIGNS = { ok: "✓", warning: "!", problem: "✗" } as const;

/**
 * What stands before a finding: a coloured sign, or the word for it where a screen reader would say what a sign looks
 * like.
 */
export function signOf({ colors, io }: Output, state: Finding["state"], color = state): Styled {
  const paint = { ok: colors.green, warning: colors.yellow, problem: colors.red }[color];
  return paint(wantsPlainText(io.environment) ? `${state}:` : SIGNS[state]);
}

/** The findings of one check, below its title: a line each, and what to do below what is not in order. */
export function printFindings(output: Output, title: string, findings: readonly ShownFinding[]): void {
  const { bold, dim, green } = output.colors;
  const isPlain = wantsPlainText(output.io.environment);
  output.line(bold(title));
  for (const { state, message, hint, fixed } of findings) {
    const sign = signOf(output, state, fixed === null ? state : "ok");
    output.line(styled`  ${sign} ${message}`);
    if (fixed !== null) output.line(styled`    ${green(isPlain ? "mended:" : "mended →")} ${fixed}`);
    else if (state !== "ok" && hint !== null) output.line(styled`    ${dim(isPlain ? "what to do:" : "→")} ${hint}`);
  }
}

/** Prints the one-line summary. */
export function printSum(output: Output, findings: readonly ShownFinding[]): void {
  const left = findings.filter(({ state, fixed }) => state !== "ok" && fixed === null);
  const problems = left.filter(({ state }) => state === "problem").length;
  const warnings = left.length - problems;
  const mended = findings.filter(({ fixed }) => fixed !== null).length;
  const fixable = left.filter(({ isFixable }) => isFixable).length;
  const parts = [
    ...(problems > 0 ? [count(problems, "problem")] : []),
    ...(warnings > 0 ? [count(warnings, "warning")] : []),
    ...(mended > 0 ? [`${mended} mended`] : []),
  ];
  const { bold, green, yellow, red } = output.colors;
  const paint = problems > 0 ? red : warnings > 0 ? yellow : green;
  output.line();
  output.line(bold(paint(left.length === 0 && mended === 0 ? "Everything is in order." : `${parts.join(", ")}.`)));
  if (fixable > 0) output.line(`\`hermes doctor --fix\` mends ${fixable} of them.`);
}

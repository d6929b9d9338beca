import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PLACES } from "../support/approval-case.ts";
import { type MatrixCase, WHO } from "./cases.ts";

const PAGE = fileURLToPath(new URL("../../docs/reliability.md", import.meta.url));
const BEGIN = "<!-- matrix: begin -->";
const END = "<!-- matrix: end -->";

type Row = MatrixCase & { readonly verdict: string };

/** Writes the table of a run into docs/reliability.md: a row for each point, a column for each platform. */
export function recordMatrix(rows: readonly Row[]): void {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/reliability.md has no ${BEGIN} … ${END}`);
  const day = new Date().toISOString().slice(0, 10);
  const count = (verdict: string) => rows.filter((row) => row.verdict === verdict).length;
  const sum = `${day}. ${rows.length} cases: ${count("doubled")} doubled, ${count("lost")} lost, ${count("failed")} failed.`;
  writeFileSync(PAGE, `${before}${BEGIN}\n${sum}\n\n${tableOf(rows)}\n${END}${after}`);
}

function tableOf(rows: readonly Row[]): string {
  const points = [...new Set(rows.map(pointOf))];
  const lines = points.map((point) => {
    const cells = PLACES.map((place) => rows.find((row) => row.platform === place && pointOf(row) === point)?.verdict);
    return `| ${point} | ${cells.map((verdict) => verdict ?? "").join(" | ")} |`;
  });
  return [`| killed | ${PLACES.join(" | ")} |`, `| --- |${" --- |".repeat(PLACES.length)}`, ...lines].join("\n");
}

function pointOf({ phase, kill: [call, when] }: MatrixCase): string {
  return `${WHO[phase]}: ${when} \`${call}\``;
}

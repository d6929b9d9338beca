import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../docs/reliability.md", import.meta.url));

/** One case of a matrix, and what became of it. */
export interface Row {
  /** The row of the table: who was struck, and at what. */
  readonly point: string;
  readonly platform: string;
  /** How it was struck; null where there is but one way. */
  readonly how: string | null;
  readonly verdict: string;
}

/** Writes the table of a matrix into docs/reliability.md: a row for each point, a column for each platform. */
export function recordMatrix(name: string, rows: readonly Row[], sum: string): void {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/reliability.md has no ${begin} … ${end}`);
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(PAGE, `${before}${begin}\n${day}. ${sum}\n\n${tableOf(rows)}\n${end}${after}`);
}

function tableOf(rows: readonly Row[]): string {
  const points = [...new Set(rows.map(({ point }) => point))];
  const platforms = [...new Set(rows.map(({ platform }) => platform))];
  const lines = points.map((point) => {
    const cells = platforms.map((platform) => cellOf(rows.filter((r) => r.point === point && r.platform === platform)));
    return `| ${point} | ${cells.join(" | ")} |`;
  });
  return [`| struck | ${platforms.join(" | ")} |`, `| --- |${" --- |".repeat(platforms.length)}`, ...lines].join("\n");
}

/** One word where all ways came to the same. */
function cellOf(rows: readonly Row[]): string {
  const [first] = rows;
  if (first === undefined) return "";
  if (rows.every(({ verdict }) => verdict === first.verdict)) return first.verdict;
  return rows.map(({ how, verdict }) => `${how}: ${verdict}`).join(", ");
}

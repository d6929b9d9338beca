import { describeTarget } from "./measurement.ts";
import type { Entry } from "./report.ts";

/** The figures for people: a line for each measurement, and one below it for each of its cases and its yardstick. */
export function renderTable(entries: readonly Entry[]): string {
  const rows = entries.flatMap(rowsOf);
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const MARKS = { true: "✓", false: "✗", null: "–" } as const;

function rowsOf(entry: Entry): string[][] {
  const mark = MARKS[`${entry.meets}`];
  const target = `${describeTarget(entry.target)} ${entry.unit}`;
  const why = entry.error ?? entry.notMeasured;
  if (why !== undefined) return [[mark, entry.name, target, why]];
  return [
    [mark, entry.name, target, figures(entry.values ?? {})],
    ...Object.entries(entry.cases ?? {}).map(([name, values]) => ["", `  ${name}`, "", figures(values)]),
    ...Object.entries(entry.casesBeside ?? {}).map(([name, values]) => ["", `  (${name})`, "", figures(values)]),
    ...(entry.baselines ?? []).map(({ what, values }) => ["", `  yardstick: ${what}`, "", figures(values)]),
  ];
}

function figures(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([figure, value]) => `${figure} ${value.toLocaleString("en", { maximumFractionDigits: 2 })}`)
    .join(", ");
}

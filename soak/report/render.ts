import type { Result } from "./result.ts";
import { renderTable } from "./table.ts";

/** What a run found, for people: anomalies first, the table last. */
export function renderResult(result: Result): string {
  const { anomalies, leftOut, rows, seed } = result;
  return [
    ...anomalies.map((text) => `${text}\n`),
    ...leftOut.map((what) => `Left out: ${what}.`),
    describeRun(result),
    "",
    renderTable(rows),
    "",
    result.passed ? "Nothing was lost, nothing was doubled." : `LOST OR DOUBLED. Again: npm run soak -- --seed ${seed}`,
  ].join("\n");
}

/** In a sentence, what the messages of a run had to get through. */
export function describeRun({ seed, minutes, part, harms, handoffsRefused, terminals }: Result): string {
  const which = part === null ? `${minutes} minutes` : `part ${part} of ${minutes} minutes`;
  const harm = Object.entries(harms).map(([what, count]) => `${count} ${what}`);
  const refused = Object.entries(handoffsRefused).map(([code, count]) => `${count} ${code}`);
  const handoffs = `${terminals.length} questions in terminals, each to be handed off`;
  return `Seed ${seed}, ${which}: ${harm.join(", ")}; ${handoffs} (not handed off: ${refused.join(", ") || "none"}).`;
}

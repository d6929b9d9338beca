import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeRun } from "./render.ts";
import type { Result } from "./result.ts";
import { renderTable } from "./table.ts";

const PAGE = fileURLToPath(new URL("../../docs/reliability.md", import.meta.url));

const BEGIN = "<!-- soak: begin -->";
const END = "<!-- soak: end -->";

/** Writes the table of a run into docs/reliability.md. */
export function recordResult(result: Result): void {
  writeFileSync(PAGE, withResult(readFileSync(PAGE, "utf8"), result));
}

/** The page with what stands between its marks replaced. Throws where it has none. */
export function withResult(page: string, result: Result): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/reliability.md has no ${BEGIN} … ${END}`);
  const day = new Date(result.startedAt).toISOString().slice(0, 10);
  const text = `${BEGIN}\n${day}. ${describeRun(result)}\n\n${renderTable(result.rows)}\n`;
  return page.slice(0, begin) + text + page.slice(end);
}

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../docs/reliability.md", import.meta.url));

/** A run as docs/reliability.md shows it: when it began, in milliseconds since 1970, in a sentence, and as a table. */
export interface Recorded {
  readonly startedAt: number;
  readonly about: string;
  readonly table: string;
}

/** Writes a run into docs/reliability.md, between the marks of that name. */
export function recordRun(name: "soak" | "compactions", run: Recorded): void {
  writeFileSync(PAGE, withRun(readFileSync(PAGE, "utf8"), name, run));
}

/** The page with what stands between these marks replaced. Throws where it has none. */
export function withRun(page: string, name: string, { startedAt, about, table }: Recorded): string {
  const marks = { begin: `<!-- ${name}: begin -->`, end: `<!-- ${name}: end -->` };
  const begin = page.indexOf(marks.begin);
  const end = page.indexOf(marks.end);
  if (begin < 0 || end < begin) throw new Error(`docs/reliability.md has no ${marks.begin} … ${marks.end}`);
  const day = new Date(startedAt).toISOString().slice(0, 10);
  return `${page.slice(0, begin)}${marks.begin}\n${day}. ${about}\n\n${table}\n${page.slice(end)}`;
}

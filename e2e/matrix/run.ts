/**
 * Kills each process at each point between a question and its answer, and looks whether the command ran once and its
 * result was told: `npm run matrix [-- --part 1/4] [--only telegram]`.
 */
import { parseArgs } from "node:util";
import { parsePart, readOptions } from "../../scripts/options.ts";
import { CASES, type MatrixCase, runCase } from "./cases.ts";
import { recordMatrix } from "./record.ts";

const HELP = `npm run matrix -- [options]

Kills each process at each point between a question and its answer, on every platform. Prints a table; ends with 1 when a
command ran twice, or its result was lost.

  --only <text>   The cases whose name has this in it.
  --part <n>/<m>  Every m-th case, from the n-th.
  --json          One JSON document.
  --record        Writes the table into docs/reliability.md.
  --help          This.`;

const { cases, json, record } = readOptions(HELP, (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      part: { type: "string", default: "1/1" },
      only: { type: "string", default: "" },
      json: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
    },
  });
  const part = parsePart(values.part);
  const chosen = CASES.filter((_, at) => at % part.of === part.number - 1).filter(({ name }) =>
    name.includes(values.only),
  );
  if (chosen.length === 0) throw new Error("No case is in that part and has that in its name.");
  return { cases: chosen, ...values };
});

const rows: Awaited<ReturnType<typeof row>>[] = [];
for (const one of cases) rows.push(await row(one));
const count = (verdict: string) => rows.filter((found) => found.verdict === verdict).length;
const [doubled, lost, failed] = [count("doubled"), count("lost"), count("failed")];
if (json) console.log(JSON.stringify({ cases: rows, doubled, lost, failed }, null, 2));
else
  console.log(`${rows.length} cases: ${doubled} doubled runs, ${lost} lost${failed === 0 ? "" : `, ${failed} failed`}`);
if (record) recordMatrix(rows);
process.exit(doubled + lost + failed === 0 ? 0 : 1);

async function row(one: MatrixCase) {
  const start = performance.now();
  const found = await runCase(one).catch((error: unknown) => ({ ran: -1, verdict: "failed", why: String(error) }));
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  const line = `| ${one.name} | ${found.verdict} | ${found.ran} | ${seconds} s |`;
  (json ? console.error : console.log)(
    found.verdict === "failed" ? `${line}\n${"why" in found ? found.why : ""}` : line,
  );
  return { ...one, ...found, seconds };
}

/**
 * Looks for what is lost or said twice while everything around goes wrong: `npm run soak`, and with `-- --help` what it
 * takes. Prints its table on standard output, or one JSON document with `--json`.
 */
import { readOptions } from "../scripts/options.ts";
import { describeCompactions, renderCompactionResult, renderCompactions } from "./compactions/render.ts";
import { runCompactions } from "./compactions/run-compactions.ts";
import { HELP, parseOptions } from "./options.ts";
import { recordRun } from "./report/record.ts";
import { describeRun, renderResult } from "./report/render.ts";
import { renderTable } from "./report/table.ts";
import { runSoak } from "./run-soak.ts";

const options = readOptions(HELP, parseOptions);
console.error(`seed ${options.seed}: --seed ${options.seed} makes the same plan again`);
const { passed, document, text } = options.compactions === null ? await soak() : await compact(options.compactions);
await print(options.json ? `${JSON.stringify(document, null, 2)}\n` : `${text}\n`);
// Not by itself: libraries that emulated people's clients are made of leave timers of some minutes behind.
process.exit(passed ? 0 : 1);

async function soak() {
  const result = await runSoak(options, (text) => console.error(text));
  const { startedAt, rows, passed } = result;
  if (options.record) recordRun("soak", { startedAt, about: describeRun(result), table: renderTable(rows) });
  return { passed, document: result, text: renderResult(result) };
}

async function compact(compactions: number) {
  const result = await runCompactions({ compactions, seed: options.seed }, (text) => console.error(text));
  const { startedAt, passed } = result;
  const table = renderCompactions(result);
  if (options.record) recordRun("compactions", { startedAt, about: describeCompactions(result), table });
  return { passed, document: result, text: renderCompactionResult(result) };
}

/** Resolves when all of it is out. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}

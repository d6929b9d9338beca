/**
 * Looks for messages that are lost or said twice while everything around goes wrong: `npm run soak`, and with
 * `-- --help` what it takes. Prints its table on standard output, or one JSON document with `--json`.
 */
import { readOptions } from "../scripts/options.ts";
import { HELP, parseOptions } from "./options.ts";
import { recordResult } from "./report/record.ts";
import { renderResult } from "./report/render.ts";
import { runSoak } from "./run-soak.ts";

const options = readOptions(HELP, parseOptions);
console.error(`seed ${options.seed}: --seed ${options.seed} makes the same plan again`);
const result = await runSoak(options, (text) => console.error(text));
if (options.record) recordResult(result);
await print(options.json ? `${JSON.stringify(result, null, 2)}\n` : `${renderResult(result)}\n`);
// Not by itself: libraries that emulated people's clients are made of leave timers of some minutes behind.
process.exit(result.passed ? 0 : 1);

/** Resolves when all of it is out. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}

/**
 * Measures what Hermes promises, on the build: `npm run bench`, with `-- --quick` for small sizes and
 * `-- --only <name>` for one. Prints one JSON document on standard output, and what goes on, with a table at the end,
 * on standard error. Ends with 1 only when something could not be measured; a target that is missed is a result.
 */
import { parseArgs } from "node:util";
import { readOptions } from "../scripts/options.ts";
import { append } from "./measurements/append.ts";
import { coldStart } from "./measurements/cold-start.ts";
import { handoffClaim, handoffDelivered } from "./measurements/handoff.ts";
import { idleCpu, idleMemory } from "./measurements/idle.ts";
import { inboundLatency } from "./measurements/inbound-latency.ts";
import { inboundPeer } from "./measurements/inbound-peer.ts";
import { inboundThroughput } from "./measurements/inbound-throughput.ts";
import { lastMessages } from "./measurements/last-messages.ts";
import { longHandoff, longOpening, restingSessions } from "./measurements/long-session.ts";
import { markdown, markdownHold } from "./measurements/markdown.ts";
import { pressToCall } from "./measurements/press-to-call.ts";
import { search } from "./measurements/search.ts";
import { sessionList } from "./measurements/session-list.ts";
import { toolCalls } from "./measurements/tool-calls.ts";
import { viewedTurn } from "./measurements/viewed-turn.ts";
import { waitingTurns } from "./measurements/waiting-turns.ts";
import { workedMemory } from "./measurements/worked-memory.ts";
import { describeMachine } from "./support/machine.ts";
import { type Entry, measure } from "./support/report.ts";
import { renderTable } from "./support/table.ts";

const MEASUREMENTS = [
  handoffClaim,
  handoffDelivered,
  longHandoff,
  longOpening,
  inboundLatency,
  inboundPeer,
  inboundThroughput,
  pressToCall,
  append,
  lastMessages,
  search,
  sessionList,
  toolCalls,
  viewedTurn,
  markdown,
  markdownHold,
  ...idleCpu,
  ...idleMemory,
  workedMemory,
  waitingTurns,
  restingSessions,
  coldStart,
];

const names = MEASUREMENTS.map(({ name }) => name);
const HELP = `npm run bench -- [options]

Measures what Hermes promises in numbers. bench/README.md has the targets, and the figures of a full run.

  --only <name>  One measurement; may be given several times. There are: ${names.join(", ")}.
  --quick        Small sizes: shows that all of it works, says little about the targets.
  --help         This.`;

const flags = readOptions(HELP, (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: "boolean", default: false }, only: { type: "string", multiple: true, default: names } },
  });
  const unknown = values.only.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`There is no measurement ${unknown.join(", ")}.`);
  return values;
});

const machine = describeMachine();
const entries: Entry[] = [];
for (const measurement of MEASUREMENTS) {
  if (!flags.only.includes(measurement.name)) continue;
  const progress = (text: string) => console.error(`${measurement.name}: ${text}`);
  entries.push(await measure(measurement, { quick: flags.quick, progress }));
}
await print(`${JSON.stringify({ machine, quick: flags.quick, measurements: entries }, null, 2)}\n`);
console.error(`\n${renderTable(entries)}`);
// Not by itself: libraries that emulated people's clients are made of leave timers of some minutes behind.
process.exit(entries.some(({ error }) => error !== undefined) ? 1 : 0);

/** Resolves when all of it is out. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}

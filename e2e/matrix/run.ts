/**
 * Kills and stops each process at each point of a handoff, and kills it at each point between a question and its answer;
 * looks what became of it: `npm run matrix [-- --part 1/4] [--only telegram]`.
 */
import { parseArgs } from "node:util";
import { seededRandom } from "@hermes/testing";
import { parsePart, readOptions } from "../../scripts/options.ts";
import { APPROVALS, approvalPoint, runApproval } from "./approvals.ts";
import { BACK, type BackCase, backPoint, runBack } from "./back.ts";
import { PAIRS, type Pair, PairMachine } from "./pairs.ts";
import { type Row, recordMatrix } from "./record.ts";
import { runSaga, SAGA, SAGA_PLACES, type SagaCase, type SagaResult, sagaPoint } from "./saga.ts";
import { SagaMachine } from "./saga-machine.ts";

const HELP = `npm run matrix -- [options]

Kills and stops each process at each step of a handoff, and kills it at each step between a question and its answer, on
every platform. Prints a line for each case; ends with 1 when something was lost or done twice.

  --only <text>   The cases whose name has this in it; “handoff:”, “back:”, “question:” and “pair:” name the matrices.
  --part <n>/<m>  Every m-th case, from the n-th.
  --seed <n>      The order of the cases on each machine; a new one unless set. It is printed.
  --lanes <n>     How many machines run side by side; 4 unless set.
  --json          One JSON document.
  --record        Writes the tables into docs/reliability.md.
  --help          This.`;

const PAIR_POINTS = ["terminal", ...SAGA_PLACES].map((from) => `from ${from}`);

const MATRICES = ["handoff", "back", "question", "pair"] as const;

interface Done extends Row {
  readonly matrix: (typeof MATRICES)[number];
  readonly seconds: number;
  readonly why: string;
  readonly counts: Readonly<Record<string, number>>;
}

interface StruckCase {
  readonly platform: string;
  readonly signal: "SIGKILL" | "SIGSTOP";
  readonly name: string;
}

/** A matrix whose cases follow each other on one machine. */
interface Striking<T> {
  readonly matrix: Done["matrix"];
  readonly home: "private" | "threads";
  pointOf(one: T): string;
  carryOut(machine: SagaMachine, one: T): Promise<SagaResult>;
}

const HANDOFF: Striking<SagaCase> = {
  matrix: "handoff",
  home: "threads",
  pointOf: sagaPoint,
  carryOut: runSaga,
};

/** From a shared chat only sessions that began there may leave. */
const BACK_AGAIN: Striking<BackCase> = { matrix: "back", home: "private", pointOf: backPoint, carryOut: runBack };

/** The cases of one machine, or those that have a machine each, on one platform. */
type Lane = () => Promise<void>;

const options = readOptions(HELP, (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      part: { type: "string", default: "1/1" },
      only: { type: "string", default: "" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
      lanes: { type: "string", default: "4" },
      json: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
    },
  });
  const part = parsePart(values.part);
  const isChosen = (name: string, at: number) => at % part.of === part.number - 1 && name.includes(values.only);
  const saga = SAGA.filter(({ name }, at) => isChosen(`handoff: ${name}`, at));
  const back = BACK.filter(({ name }, at) => isChosen(`back: ${name}`, at));
  const approvals = APPROVALS.filter(({ name }, at) => isChosen(`question: ${name}`, at));
  // A part of the tour is one way.
  const inPart = (_: unknown, at: number) => Math.floor((at * part.of) / PAIRS.length) === part.number - 1;
  const pairs = PAIRS.filter(inPart).filter(({ name }) => `pair: ${name}`.includes(values.only));
  if (saga.length + back.length + approvals.length + pairs.length === 0)
    throw new Error("No case is in that part and has that in its name.");
  return { ...values, saga, back, approvals, pairs };
});

const say = options.json ? console.error : console.log;
const random = seededRandom(Number(options.seed));
const done: Done[] = [];
say(`seed ${options.seed}`);

const lanes: Lane[] = [
  ...byPlatform(options.saga).map((cases) => () => runOnOneMachine(shuffled(cases), HANDOFF)),
  ...byPlatform(options.back).map((cases) => () => runOnOneMachine(shuffled(cases), BACK_AGAIN)),
  ...byPlatform(options.approvals).map((cases) => async () => {
    for (const one of cases) {
      const { platform, kill, name } = one;
      const row = { matrix: "question", point: approvalPoint(one), platform, how: null } as const;
      await run(row, `question: ${name}`, async () => ({
        counts: {},
        why: kill.join(" "),
        ...(await runApproval(one)),
      }));
    }
  }),
  ...(options.pairs.length === 0 ? [] : [() => runPairs(options.pairs)]),
];
await Promise.all(
  Array.from({ length: Number(options.lanes) }, async () => {
    for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) await lane();
  }),
);

const matrices = MATRICES.filter((name) => done.some(({ matrix }) => matrix === name));
const sums = matrices.map((matrix) => ({ matrix, ...sumOf(matrix) }));
if (options.json) console.log(JSON.stringify({ seed: options.seed, cases: done, sums }, null, 2));
else for (const { matrix, text } of sums) console.log(`${matrix}: ${text}`);
if (options.record) {
  for (const { matrix, text } of sums) recordMatrix(matrix, inOrder(matrix), text);
}
process.exit(sums.every(({ bad }) => bad === 0) ? 0 : 1);

function byPlatform<T extends { readonly platform: string }>(cases: readonly T[]): T[][] {
  return [...Map.groupBy(cases, ({ platform }) => platform).values()];
}

function shuffled<T>(cases: readonly T[]): T[] {
  const left = [...cases];
  return cases.flatMap(() => left.splice(random.below(left.length), 1));
}

/** One case after the other; after one that failed a new machine takes over. */
async function runOnOneMachine<T extends StruckCase>(
  cases: readonly T[],
  { matrix, home, pointOf, carryOut }: Striking<T>,
): Promise<void> {
  let machine: SagaMachine | null = null;
  for (const one of cases) {
    const { platform, signal, name } = one;
    const how = signal === "SIGKILL" ? "killed" : "stopped";
    const row = { matrix, point: pointOf(one), platform, how } as const;
    machine ??= await SagaMachine.begin(platform, home);
    const { verdict } = await run(row, `${matrix}: ${name}`, () => carryOut(machine as SagaMachine, one));
    if (verdict !== "failed") continue;
    await machine[Symbol.asyncDispose]();
    machine = null;
  }
  await machine?.[Symbol.asyncDispose]();
}

async function runPairs(pairs: readonly Pair[]): Promise<void> {
  await using machine = await PairMachine.begin();
  for (const one of pairs) {
    const row = { matrix: "pair", point: `from ${one.from}`, platform: one.to, how: null } as const;
    const { verdict } = await run(row, `pair: ${one.name}`, () => machine.walk(one));
    if (isBad(verdict)) machine.forget();
  }
}

async function run(
  row: Omit<Row, "verdict"> & Pick<Done, "matrix">,
  name: string,
  carryOut: () => Promise<Pick<Done, "verdict" | "why" | "counts">>,
): Promise<Done> {
  const start = performance.now();
  const found = await carryOut().catch((error: Error) => ({ verdict: "failed", why: String(error.stack), counts: {} }));
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  say(`| ${name} | ${found.verdict} | ${seconds} s |${isBad(found.verdict) ? `\n${found.why}` : ""}`);
  const one = { ...row, ...found, seconds };
  done.push(one);
  return one;
}

function isBad(verdict: string): boolean {
  return ["doubled", "lost", "wrong", "failed"].includes(verdict);
}

/** The cases of a matrix as they stand in its list, in whatever order they ran. */
function inOrder(matrix: Done["matrix"]): Done[] {
  const points = {
    handoff: SAGA.map(sagaPoint),
    back: BACK.map(backPoint),
    question: APPROVALS.map(approvalPoint),
    pair: PAIR_POINTS,
  }[matrix];
  const names = ["terminal", ...SAGA_PLACES];
  const order = (one: Done) => points.indexOf(one.point) * 100 + names.indexOf(one.platform);
  return done.filter((one) => one.matrix === matrix).sort((a, b) => order(a) - order(b));
}

function sumOf(matrix: Done["matrix"]) {
  const rows = done.filter((one) => one.matrix === matrix);
  const count = (verdict: string) => rows.filter((one) => one.verdict === verdict).length;
  const [doubled, lost, failed] = [count("doubled") + count("wrong"), count("lost"), count("failed")];
  const came = ["thread", "notice", "card", "answer", "reply"].map((kind) => {
    return `${rows.reduce((sum, { counts }) => sum + (counts[kind] ?? 0), 0)} ${kind}s`;
  });
  const counted = matrix !== "question" ? ` There came ${came.join(", ").replace(/replys$/, "replies")}.` : "";
  return {
    bad: doubled + lost + failed,
    text: `${rows.length} cases: ${doubled} doubled, ${lost} lost, ${failed} failed.${counted}`,
  };
}

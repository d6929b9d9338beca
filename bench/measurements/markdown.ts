import { HOSTILE_SHAPES, ordinaryMarkdown } from "@hermes/testing";
import type { Measurement, RunOptions, Values } from "../support/measurement.ts";
import { loadRenderers, type Renderer } from "../support/renderers.ts";
import { median, round } from "../support/statistics.ts";

/** UTF-16 units of an answer. */
const LENGTH = 20_000;

/** As long as ordinary Markdown takes. */
const MOST_TIMES = 1.5;

export const markdown: Measurement = {
  name: "markdown",
  what: "an answer of 20,000 characters is formatted, whatever it consists of, held against ordinary Markdown",
  unit: "times as long",
  target: { figure: "worst", atMost: MOST_TIMES },
  async run({ quick, progress }) {
    await using loaded = await loadRenderers();
    const cases: Record<string, Values> = {};
    for (const renderer of loaded.renderers) {
      progress(`${renderer.name}: ${HOSTILE_SHAPES.length} shapes`);
      cases[renderer.name] = compare(renderer, { quick, progress });
    }
    return { values: { worst: Math.max(...Object.values(cases).map(({ worst = 0 }) => worst)) }, cases };
  },
};

export const markdownHold: Measurement = {
  name: "markdown-hold",
  what: "the longest that formatting an answer holds everything else up",
  unit: "ms",
  target: { figure: "longest", atMost: 50 },
  async run({ quick, progress }) {
    await using loaded = await loadRenderers();
    const platforms = loaded.renderers.filter(({ name }) => name !== "terminal" && name !== "page");
    const long = quick ? 100_000 : 1_000_000;
    progress("hostile answers of 20,000 characters, and longer ones");
    const hostile = HOSTILE_SHAPES.flatMap(({ write }) => [write(LENGTH), write(60_000)]);
    const page = loaded.renderers.filter(({ name }) => name === "page");
    const cases = {
      hostile: { longest: longestHold(platforms, hostile) },
      [`${long.toLocaleString("en")} characters`]: { longest: longestHold(platforms, [ordinaryMarkdown(long)]) },
      "page, 100 paragraphs that name 100 addresses": { longest: longestHold(page, [namedAddresses(100)]) },
    };
    return { values: { longest: Math.max(...Object.values(cases).map(({ longest }) => longest)) }, cases };
  },
};

/** Runs of one sample. */
const RUNS = 2;

/** By turns with ordinary Markdown, since a machine is not as fast all the time; each is the median of its samples. */
function compare(renderer: Renderer, { quick, progress }: RunOptions): Values {
  const samples = Array.from({ length: quick ? 7 : 15 });
  const ordinaryText = ordinaryMarkdown(LENGTH);
  // Compiled before it is measured.
  for (let i = 0; i < 20; i++) for (const _ of renderer.render(ordinaryText));
  const usual: number[] = [];
  const times = HOSTILE_SHAPES.map(({ name, write }) => {
    const text = write(LENGTH);
    for (let i = 0; i < 3; i++) for (const _ of renderer.render(text));
    const both = samples.map(() => [renderingTime(renderer, ordinaryText), renderingTime(renderer, text)] as const);
    const ordinary = median(both.map(([time]) => time));
    usual.push(ordinary);
    const times = median(both.map(([, time]) => time)) / ordinary;
    if (times > MOST_TIMES) progress(`${renderer.name}: ${round(times)} times: ${name}`);
    return times;
  });
  return {
    worst: round(Math.max(...times)),
    over: times.filter((one) => one > MOST_TIMES).length,
    "ordinary ms": round(median(usual)),
  };
}

function renderingTime(renderer: Renderer, text: string): number {
  const from = performance.now();
  for (let run = 0; run < RUNS; run++) for (const _ of renderer.render(text));
  return (performance.now() - from) / RUNS;
}

/** The longest step of the shortest of some runs, in milliseconds of the processor. */
function longestHold(renderers: readonly Renderer[], texts: readonly string[]): number {
  let longest = 0;
  for (const renderer of renderers) {
    for (const text of texts) {
      const runs = [0, 1, 2].map(() => longestStep(renderer, text));
      longest = Math.max(longest, Math.min(...runs));
    }
  }
  return round(longest);
}

function longestStep(renderer: Renderer, text: string): number {
  let longest = 0;
  let from = process.threadCpuUsage();
  for (const _ of renderer.render(text)) {
    const { user, system } = process.threadCpuUsage(from);
    longest = Math.max(longest, (user + system) / 1_000);
    from = process.threadCpuUsage();
  }
  return longest;
}

function namedAddresses(count: number): string {
  const all = (line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at)).join("");
  return (
    all((at) => `A paragraph with [name ${at}][r${at}].\n\n`) + all((at) => `[r${at}]: https://example.org/${at}\n`)
  );
}

import type { Judgement, Verdict } from "../ledger/judge.ts";
import { PLATFORM_NAMES } from "../plan/acts.ts";
import type { Result } from "./result.ts";

const COLUMNS: readonly (readonly [title: string, verdict: Verdict])[] = [
  ["answered once", "answered"],
  ["told to send again", "told"],
  ["uncertain and offered", "uncertain"],
  ["refused, offered or listed", "refused"],
  ["lost", "lost"],
  ["doubled", "doubled"],
];

/** What became of the messages of one platform. */
export interface Row {
  readonly platform: string;
  readonly kept: number;
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly beginnings: number;
}

export function rowsOf(judged: readonly Judgement[], terminals: Result["terminals"]): Row[] {
  const rows = PLATFORM_NAMES.map((platform) => {
    const own = judged.filter(({ asked }) => asked.platform === platform);
    return { platform, kept: own.length, counts: count(own), beginnings: own.filter((one) => one.hasBeginning).length };
  });
  const asked = terminals.map(({ fate }) => ({ verdict: fate }));
  return [...rows, { platform: "terminal", kept: asked.length, counts: count(asked), beginnings: 0 }];
}

function count(judged: readonly Pick<Judgement, "verdict">[]): Record<Verdict, number> {
  const counts = { answered: 0, told: 0, uncertain: 0, refused: 0, lost: 0, doubled: 0 };
  for (const { verdict } of judged) counts[verdict]++;
  return counts;
}

/** The rows as a Markdown table, with their sum. */
export function renderTable(rows: readonly Row[]): string {
  const head = ["platform", "messages kept", ...COLUMNS.map(([title]) => title), "beginnings left"];
  const sum: Row = rows.reduce(
    (all, { kept, counts, beginnings }) => ({
      platform: "**all**",
      kept: all.kept + kept,
      counts: add(all.counts, counts),
      beginnings: all.beginnings + beginnings,
    }),
    { platform: "", kept: 0, counts: count([]), beginnings: 0 },
  );
  const lines = [...rows, sum].map(({ platform, kept, counts, beginnings }) => [
    platform,
    ...[kept, ...COLUMNS.map(([, verdict]) => counts[verdict]), beginnings].map((one) => one.toLocaleString("en")),
  ]);
  const toLine = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [toLine(head), toLine(head.map((_, at) => (at === 0 ? "---" : "---:"))), ...lines.map(toLine)].join("\n");
}

function add(a: Row["counts"], b: Row["counts"]): Record<Verdict, number> {
  const both = { ...a };
  for (const key of Object.keys(both) as Verdict[]) both[key] += b[key];
  return both;
}

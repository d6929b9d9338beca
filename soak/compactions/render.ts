import { type CompactionResult, NOTHING_YET, type PlaceCounts, sum } from "./result.ts";

const COLUMNS: readonly (readonly [keyof PlaceCounts, string])[] = [
  ["messages", "messages"],
  ["answered", "answered once"],
  ["asked", "told to ask again"],
  ["itself", "compacted by itself"],
  ["hand", "by /compact"],
  ["refusal", "after a refusal"],
  ["kills", "kill -9"],
  ["requests", "requests"],
  ["forgotten", "forgotten"],
];

/** A row for each place, in the order in which the session came there first. */
export function renderCompactions({ rows }: CompactionResult): string {
  const places = [...new Set(rows.map(({ place }) => place))];
  const summed = places.map((place) => {
    const all = rows.filter((row) => row.place === place).reduce<PlaceCounts>((a, b) => sum(a, b), NOTHING_YET);
    return [place, all] as const;
  });
  const total = summed.reduce<PlaceCounts>((a, [, b]) => sum(a, b), NOTHING_YET);
  return [
    `| place | ${COLUMNS.map(([, name]) => name).join(" | ")} |`,
    `| --- |${" ---: |".repeat(COLUMNS.length)}`,
    ...[...summed, ["**all**", total] as const].map(
      ([place, counts]) => `| ${place} | ${COLUMNS.map(([name]) => counts[name].toLocaleString("en")).join(" | ")} |`,
    ),
  ].join("\n");
}

/** In a sentence or two, what the session went through. */
export function describeCompactions(result: CompactionResult): string {
  const { rows, seed, transcript, tokensBefore, tokensAfter, summaries } = result;
  const { itself, hand, refusal } = rows.reduce<PlaceCounts>((a, b) => sum(a, b), NOTHING_YET);
  const handoffs = rows.length - 1;
  const given = Object.entries(summaries).map(([how, count]) => `${count} ${how}`);
  return (
    `Seed ${seed}: ${itself + hand + refusal} compactions, ${handoffs} handoffs, ${transcript.toLocaleString("en")} rows of the transcript. ` +
    `A compaction took ${tokensBefore.toLocaleString("en")} tokens to ${tokensAfter.toLocaleString("en")} in the mean. Summaries: ${given.join(", ")}.`
  );
}

/** What a run found, for people: faults first, the table last. */
export function renderCompactionResult(result: CompactionResult): string {
  const { faults, seed, passed } = result;
  return [
    ...faults,
    describeCompactions(result),
    "",
    renderCompactions(result),
    "",
    passed ? "Nothing was forgotten, lost or doubled." : `FORGOTTEN, LOST OR DOUBLED. Again with --seed ${seed}`,
  ].join("\n");
}

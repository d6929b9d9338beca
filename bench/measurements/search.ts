import { EVERY_SESSION, type Store, type Visibility } from "@hermes/core/embed";
import { CHAT, FORMER, fillArchive, GUEST, VISITOR } from "../support/archive.ts";
import type { Measurement } from "../support/measurement.ts";
import { type Random, seededRandom } from "../support/random.ts";
import { createScratchHost } from "../support/scratch-host.ts";
import { summarize } from "../support/statistics.ts";
import { createVocabulary, type Vocabulary } from "../support/vocabulary.ts";

const LIMIT = 20;

type Draw = (vocabulary: Vocabulary, random: Random) => string;

/** Any of the words between two ranks; 0 is the commonest of 50,000. */
const between =
  (from: number, to: number): Draw =>
  (vocabulary, random) =>
    vocabulary.word(from + (random() % (to - from)));

const rare = between(30_000, 50_000);
const common = between(50, 150);
const commonest = between(0, 5);
const absent: Draw = (_, random) => `x${random()}`;
const both =
  (one: Draw, other: Draw): Draw =>
  (vocabulary, random) =>
    `${one(vocabulary, random)} ${other(vocabulary, random)}`;

const begunBy = (user: typeof GUEST): Visibility => ({ kind: "begun-by", user });
const begunIn: Visibility = { kind: "of-chat", chat: CHAT, here: CHAT };

/** What is searched for, and by whom. A common word stands in one message of thirty, the commonest in every other. */
const CASES: Readonly<Record<string, { readonly draw: Draw; readonly visible: Visibility }>> = {
  "a rare word": { draw: rare, visible: EVERY_SESSION },
  "a common word": { draw: common, visible: EVERY_SESSION },
  "one of the commonest words": { draw: commonest, visible: EVERY_SESSION },
  "two words": { draw: both(common, between(500, 3_000)), visible: EVERY_SESSION },
  "two words, one of them rare": { draw: both(commonest, rare), visible: EVERY_SESSION },
  "the first three letters of a word": {
    draw: (vocabulary, random) => between(100, 1_000)(vocabulary, random).slice(0, 3),
    visible: EVERY_SESSION,
  },
  "a word that is not there": { draw: absent, visible: EVERY_SESSION },
  "a common word, in what one of many people began": { draw: common, visible: begunBy(GUEST) },
  "a common word, in what was begun in one chat": { draw: common, visible: begunIn },
  "a rare word, in what was begun in one chat": { draw: rare, visible: begunIn },
  "two words, in what was begun in one chat": { draw: both(common, between(500, 3_000)), visible: begunIn },
  "a common word, in what one person began long ago": { draw: common, visible: begunBy(FORMER) },
  "one of the commonest words, in what one person began long ago": { draw: commonest, visible: begunBy(FORMER) },
  "a common word, in two sessions far apart": { draw: common, visible: begunBy(VISITOR) },
  "one of the commonest words, in two sessions far apart": { draw: commonest, visible: begunBy(VISITOR) },
};

export const search: Measurement = {
  name: "search",
  what: "the 20 newest of 1,000,000 messages that hold all the words",
  unit: "ms",
  target: { figure: "p95", atMost: 50 },
  async run({ quick, progress }) {
    await using scratch = await createScratchHost();
    const vocabulary = createVocabulary();
    await fillArchive(scratch.host, vocabulary, { messages: quick ? 50_000 : 1_000_000, progress });

    const repeat = quick ? 20 : 100;
    progress(`${repeat} searches of each of ${Object.keys(CASES).length} kinds`);
    const random = seededRandom(5);
    const times = Object.fromEntries(Object.keys(CASES).map((name): [string, number[]] => [name, []]));
    // Turn by turn, so that no kind profits from pages that its own kind has just read.
    for (let i = 0; i < repeat; i++) {
      for (const [name, { draw, visible }] of Object.entries(CASES)) {
        times[name]?.push(await timeSearch(scratch.host.store, draw(vocabulary, random), visible));
      }
    }
    return {
      values: summarize(Object.values(times).flat()),
      cases: Object.fromEntries(Object.entries(times).map(([name, samples]) => [name, summarize(samples)])),
    };
  },
};

async function timeSearch(store: Store, text: string, visible: Visibility): Promise<number> {
  const from = performance.now();
  await store.transcripts.search({ text, visible, limit: LIMIT });
  return performance.now() - from;
}

import { AT_TERMINAL, conversation, openTurn } from "../support/fill.ts";
import type { Measurement } from "../support/measurement.ts";
import { seededRandom } from "../support/random.ts";
import { createScratchHost } from "../support/scratch-host.ts";
import { summarize, timed } from "../support/statistics.ts";
import { createVocabulary } from "../support/vocabulary.ts";

const AT_ONCE = 1_000;

export const lastMessages: Measurement = {
  name: "last-messages",
  what: "the last 50 messages of a session with 100,000 are read",
  unit: "ms",
  target: { figure: "p95", atMost: 5 },
  async run({ quick, progress }) {
    const count = quick ? 10_000 : 100_000;
    await using scratch = await createScratchHost();
    const { store } = scratch.host;
    const turn = await openTurn(scratch.host, AT_TERMINAL, "Begin.");
    const vocabulary = createVocabulary();
    const random = seededRandom(3);
    progress(`a session of ${count} messages is written`);
    for (let written = 0; written < count; written += AT_ONCE) {
      await turn.append(conversation(vocabulary, random, AT_ONCE));
    }
    await turn.finish();

    const times: number[] = [];
    for (let i = 0; i < 500; i++) {
      times.push(
        await timed(async () => {
          const { length } = await store.transcripts.read(turn.sessionId, { limit: 50 });
          if (length !== 50) throw new Error(`${length} messages were read, not 50`);
        }),
      );
    }
    return { values: summarize(times) };
  },
};

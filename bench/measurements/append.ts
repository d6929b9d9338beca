import { join } from "node:path";
import type { NewMessage } from "@hermes/core/embed";
import { type BareDatabase, openBare } from "../support/driver.ts";
import { AT_TERMINAL, conversation, openTurn } from "../support/fill.ts";
import type { Measurement } from "../support/measurement.ts";
import { seededRandom } from "../support/random.ts";
import { createScratchHost } from "../support/scratch-host.ts";
import { rates, timed } from "../support/statistics.ts";
import { createVocabulary } from "../support/vocabulary.ts";

const PER_ROUND = 1_000;

export const append: Measurement = {
  name: "append",
  what: "one message after the other is added to a transcript, each in a transaction of its own",
  unit: "appends/s",
  target: { figure: "overall", atLeast: 5_000 },
  async run({ quick, progress }) {
    const rounds = quick ? 4 : 30;
    await using scratch = await createScratchHost();
    const turn = await openTurn(scratch.host, AT_TERMINAL, "Begin.");
    const bare = openBare(join(scratch.folder, "bare.db"));
    try {
      const insert = prepareBare(bare);
      const random = seededRandom(2);
      const vocabulary = createVocabulary();
      const ours: number[] = [];
      const yardstick: number[] = [];
      let cpuMicros = 0;
      progress(`${rounds} rounds of ${PER_ROUND}, turn by turn with the bare driver`);
      for (let round = 0; round < rounds; round++) {
        const messages = conversation(vocabulary, random, PER_ROUND);
        const before = process.cpuUsage();
        ours.push(
          await timed(async () => {
            for (const message of messages) await turn.append([message]);
          }),
        );
        const { user, system } = process.cpuUsage(before);
        cpuMicros += user + system;
        yardstick.push(
          await timed(async () => {
            for (const message of messages) insert(turn.sessionId, message);
          }),
        );
      }
      return {
        // The processor time says what is Hermes' own share where other work slows the machine down.
        values: { ...rates(ours, PER_ROUND), cpuMicrosEach: Math.round(cpuMicros / (rounds * PER_ROUND)) },
        baselines: [
          {
            what: "the bare driver: one insert a transaction, no index, no search",
            values: rates(yardstick, PER_ROUND),
          },
        ],
      };
    } finally {
      bare.close();
    }
  },
};

/** A row as large as that of a transcript, under the same pragmas. */
function prepareBare(bare: BareDatabase): (sessionId: string, message: NewMessage) => void {
  bare.pragma("journal_mode = WAL");
  bare.pragma("synchronous = NORMAL");
  bare.exec(
    "CREATE TABLE rows (number INTEGER PRIMARY KEY, session TEXT, seq INTEGER, role TEXT, text TEXT, at INTEGER)",
  );
  const insert = bare.prepare("INSERT INTO rows (session, seq, role, text, at) VALUES (?, ?, ?, ?, ?)");
  let seq = 0;
  return (sessionId, { role, text }) => insert.run(sessionId, ++seq, role, text, Date.now());
}

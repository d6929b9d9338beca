import type { Emulator } from "@hermes/emulator";
import type { Writer } from "./emulated-platform.ts";
import type { GatewayAt } from "./gateway-at.ts";
import { timed } from "./statistics.ts";

export interface FloodOptions {
  /** What it is called: its messages are unlike those of any other. */
  readonly name: string;
  readonly emulator: Emulator;
  readonly places: readonly Writer[];
  /** How many messages come to each place in a round; all places get one before any gets another. */
  readonly each: number;
  /** Rounds before those that count: sessions begin, connections are opened, and Node compiles what runs often. */
  readonly uncounted: number;
  readonly rounds: number;
  /** The command that each round's first message stands behind. */
  readonly begin?: string;
  /** What is done before the next round begins. */
  afterRound(): Promise<void>;
}

export interface Flood {
  /** How long each round took, in milliseconds. */
  readonly times: readonly number[];
  /** The gateway's processor time for a message, in microseconds. */
  readonly cpuMicrosEach: number;
  /** Answers that went out while the rounds lasted, in percent of the messages; the others came later. */
  readonly answersOut: number;
}

/** What the gateway's agent says, as people read it. */
const ANSWER = "Done.";

/** Lets people write all at once, round for round; a round ends when each of its messages has its turn behind it. */
export async function flood(gateway: GatewayAt, options: FloodOptions): Promise<Flood> {
  const { name, emulator, places, each, uncounted, rounds, begin, afterRound } = options;
  const work = (round: number) =>
    gateway.work(
      Array.from({ length: each }, (_, turn) =>
        places.map((at, i) => ({
          at,
          text: `${name}, ${round}, ${turn}, ${i}`,
          ...(begin !== undefined && turn === 0 && i === 0 ? { command: begin } : {}),
        })),
      ).flat(),
    );
  const perRound = each * places.length;
  for (let round = -uncounted; round < 0; round++) await work(round);
  const times: number[] = [];
  let answers = 0;
  const cpuBefore = gateway.cpuMicros;
  for (let round = 0; round < rounds; round++) {
    const before = answersIn(emulator, places);
    times.push(await timed(() => work(round)));
    // Some may be those of the round before, where answers are behind.
    answers += Math.min(answersIn(emulator, places) - before, perRound);
    await afterRound();
  }
  const messages = rounds * perRound;
  return {
    times,
    cpuMicrosEach: Math.round((gateway.cpuMicros - cpuBefore) / messages),
    answersOut: Math.round((100 * answers) / messages),
  };
}

function answersIn(emulator: Emulator, places: readonly Writer[]): number {
  return places
    .flatMap(({ chatId, threadId }) => emulator.messages(chatId, threadId))
    .filter(({ author, text }) => author === "bot" && text === ANSWER).length;
}

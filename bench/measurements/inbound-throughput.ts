import { BareTurns } from "../support/bare-turns.ts";
import { PLATFORMS } from "../support/emulated-platform.ts";
import { flood } from "../support/flood.ts";
import { startGatewayAt } from "../support/gateway-at.ts";
import type { Measurement, Values } from "../support/measurement.ts";
import { createScratchHost } from "../support/scratch-host.ts";
import { rates } from "../support/statistics.ts";

const CHATS = 100;
/** Messages that come at once, round for round. In one chat those of a round are one session. */
const PER_ROUND = 200;

export const inboundThroughput: Measurement = {
  name: "inbound-throughput",
  what: "people write faster than anybody could answer: messages a second that are taken, with their turn behind them",
  unit: "turns/s",
  target: { figure: "overall", atLeast: 1_000 },
  async run({ quick, progress }) {
    const rounds = quick ? 2 : 10;
    const uncounted = quick ? 1 : 5;
    const cases: Record<string, Values> = {};
    const casesBeside: Record<string, Values> = {};
    const all: number[] = [];
    const alone: number[] = [];
    const atOnce: number[] = [];
    await using scratch = await createScratchHost();
    const bare = new BareTurns(scratch.host);
    for (const [name, start] of Object.entries(PLATFORMS)) {
      const platform = await start();
      await using gateway = await startGatewayAt(platform);
      const many = { name: `${name}, ${CHATS} chats`, places: await platform.openPlaces(CHATS), into: cases };
      // A conversation is worked on one message after the other, and no platform delivers that many of one.
      const one = { name: `${name}, one chat`, places: [platform.direct], begin: platform.begin, into: casesBeside };
      for (const { into, ...shape } of [many, one]) {
        progress(`${rounds} rounds of ${PER_ROUND} messages: ${shape.name}`);
        const { times, ...values } = await flood(gateway, {
          ...shape,
          emulator: platform.emulator,
          each: PER_ROUND / shape.places.length,
          ...{ uncounted, rounds },
          async afterRound() {
            alone.push(await bare.time({ sessions: 1, each: PER_ROUND }));
            atOnce.push(await bare.time({ sessions: CHATS, each: PER_ROUND / CHATS }));
          },
        });
        into[shape.name] = { ...rates(times, PER_ROUND), ...values };
        if (into === cases) all.push(...times);
      }
    }
    const what = "the store alone (message accepted, turn started and finished, nothing sent)";
    const baselines = [
      { what: `${what}, in one session`, values: rates(alone, PER_ROUND) },
      { what: `${what}, in ${CHATS} sessions at once`, values: rates(atOnce, PER_ROUND) },
    ];
    return { values: rates(all, PER_ROUND), cases, casesBeside, baselines };
  },
};

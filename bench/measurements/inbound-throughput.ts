import { buildSessionKey, type InboundMessage } from "@hermes/core";
import type { Host } from "@hermes/core/embed";
import { PLATFORMS, type Place } from "../support/emulated-platform.ts";
import { AT_TERMINAL } from "../support/fill.ts";
import { startGatewayAt } from "../support/gateway-at.ts";
import type { Measurement, Values } from "../support/measurement.ts";
import { createScratchHost } from "../support/scratch-host.ts";
import { summarize, timed } from "../support/statistics.ts";

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
    const cases: Record<string, Values> = {};
    const all: number[] = [];
    const yardstick: number[] = [];
    await using scratch = await createScratchHost();
    for (const [name, start] of Object.entries(PLATFORMS)) {
      const platform = await start();
      await using gateway = await startGatewayAt(platform);
      const shapes: Record<string, { readonly places: readonly Place[]; readonly command?: string }> = {
        [`${name}, ${CHATS} chats`]: { places: await platform.openPlaces(CHATS) },
        [`${name}, one chat`]: { places: [platform.direct], command: platform.begin },
      };
      for (const [shape, { places, command }] of Object.entries(shapes)) {
        progress(`${rounds} rounds of ${PER_ROUND} messages: ${shape}`);
        const work = (round: number) =>
          gateway.work(
            Array.from({ length: PER_ROUND }, (_, i) => ({
              at: places[i % places.length] ?? platform.direct,
              text: `${shape}, ${round}, ${i}`,
              ...(i === 0 && command !== undefined ? { command } : {}),
            })),
          );
        const times: number[] = [];
        // The first does not count: sessions begin, connections are opened.
        await work(-1);
        const cpuBefore = gateway.cpuMicros;
        for (let round = 0; round < rounds; round++) {
          times.push(await timed(() => work(round)));
          yardstick.push(await timed(() => bareTurns(scratch.host)));
        }
        // The processor time says what a turn costs the gateway where other work slows the machine down.
        const cpuMicrosEach = Math.round((gateway.cpuMicros - cpuBefore) / (rounds * PER_ROUND));
        cases[shape] = { ...rates(times), cpuMicrosEach };
        all.push(...times);
      }
    }
    const what = "the store alone: message accepted, turn started and finished, nothing sent";
    return { values: rates(all), cases, baseline: { what, values: rates(yardstick) } };
  },
};

let written = 0;

/** A round in one session, by the store's calls alone. */
async function bareTurns({ store, holder }: Host): Promise<void> {
  const { id: sessionId } = await store.sessions.create(AT_TERMINAL);
  const conversation = { platform: "bare", chatId: sessionId, kind: "dm" } as const;
  const key = buildSessionKey(conversation);
  for (let i = 0; i < PER_ROUND; i++) {
    const sender = { id: "1" };
    const text = `Message ${i}`;
    const message: InboundMessage = { conversation, messageId: `${++written}`, sender, text, sentAt: Date.now() };
    const accepted = await store.inbox.acceptInbound(key, message);
    if (accepted.outcome !== "accepted") throw new Error(`a message was not accepted: ${accepted.outcome}`);
    const started = await store.turns.startTurn({
      sessionId,
      holder,
      cause: { kind: "inbox", inboxId: accepted.row.id },
      surface: key,
      leaseMs: 60_000,
      message: { role: "user", text },
    });
    if (!started.ok) throw new Error(`a turn could not be started: ${started.reason}`);
    const { turn, fence } = started;
    const messages = [{ role: "assistant", text: "Done." }] as const;
    await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
  }
}

/** Rounds in milliseconds as rates: over all of them, and of the middle and the slowest round. */
function rates(rounds: readonly number[]): Values {
  const rate = (count: number, ms: number) => Math.round((count * 1_000) / ms);
  const { p50, max } = summarize(rounds);
  const totalMs = rounds.reduce((sum, ms) => sum + ms, 0);
  return {
    n: rounds.length * PER_ROUND,
    overall: rate(rounds.length * PER_ROUND, totalMs),
    p50: rate(PER_ROUND, p50),
    slowest: rate(PER_ROUND, max),
  };
}

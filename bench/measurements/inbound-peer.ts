import { AnsweringProcess } from "../support/answering-process.ts";
import { PLATFORMS } from "../support/emulated-platform.ts";
import { startGatewayAt } from "../support/gateway-at.ts";
import type { Measurement } from "../support/measurement.ts";
import { seededRandom } from "../support/random.ts";
import { summarize } from "../support/statistics.ts";

/** Messages before those that count: names are looked up, connections opened. */
const WARM_UP = 10;

const PEER = import.meta.resolve("../support/answering-peer.ts");

export const inboundPeer: Measurement = {
  name: "inbound-peer",
  what: "inbound-latency on Telegram, as a multiple of what a bot of Vercel's Chat SDK needs that keeps nothing",
  unit: "times",
  target: { figure: "p50", atMost: 1.2 },
  async run({ quick, progress }) {
    const count = quick ? 20 : 300;
    progress(`${count} messages to each, by turns`);
    const start = PLATFORMS.telegram;
    if (start === undefined) throw new Error("there is no emulated Telegram");
    const random = seededRandom(6);
    const [ours, theirs] = [await start(), await start()];
    await using hermes = await startGatewayAt(ours);
    const { apiRoot, token } = theirs.emulator.options as { readonly apiRoot: string; readonly token: string };
    await using peer = await AnsweringProcess.start(PEER, [apiRoot, token], theirs);
    const [hermesTimes, peerTimes]: [number[], number[]] = [[], []];
    for (let i = 0; i < WARM_UP + count; i++) {
      for (const [process, { direct }, times] of [
        [hermes, ours, hermesTimes],
        [peer, theirs, peerTimes],
      ] as const) {
        // People do not write in a row; an answer is out before the next question comes.
        await new Promise((resolve) => setTimeout(resolve, 30 + (random() % 50)));
        const took = await process.time(direct, `Message ${i}`);
        if (i >= WARM_UP) times.push(took);
      }
    }
    await theirs.emulator.close();
    const [hermesMs, peerMs] = [summarize(hermesTimes), summarize(peerTimes)];
    const ratio = (figure: string) => (hermesMs[figure] ?? Number.NaN) / (peerMs[figure] ?? Number.NaN);
    return {
      values: { n: count, p50: ratio("p50"), p95: ratio("p95") },
      baselines: [
        { what: "Hermes, in milliseconds", values: hermesMs },
        { what: "the Chat SDK with its state in memory, in milliseconds", values: peerMs },
      ],
    };
  },
};

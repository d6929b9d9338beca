import { ENCRYPTED, PLATFORMS } from "../support/emulated-platform.ts";
import { startGatewayAt } from "../support/gateway-at.ts";
import type { Measurement, Values } from "../support/measurement.ts";
import { seededRandom } from "../support/random.ts";
import { summarize } from "../support/statistics.ts";
import { timeRequest } from "../support/time-request.ts";

export const inboundLatency: Measurement = {
  name: "inbound-latency",
  what: "a person's message is on the platform (an emulator), until a gateway has started its turn and asks the agent",
  unit: "ms",
  target: { figure: "p50", atMost: 5 },
  async run({ quick, progress }) {
    const count = quick ? 20 : 200;
    // As many before those that count: names are looked up, connections opened, and Node compiles what runs often.
    const uncounted = quick ? 10 : 200;
    const random = seededRandom(5);
    const cases: Record<string, Values> = {};
    const casesBeside: Record<string, Values> = {};
    const all: number[] = [];
    const yardstick: number[] = [];
    for (const [name, start] of Object.entries({ ...PLATFORMS, ...ENCRYPTED })) {
      progress(`${count} messages on ${name}, one after the other`);
      const platform = await start();
      await using gateway = await startGatewayAt(platform);
      const times: number[] = [];
      for (let i = 0; i < uncounted + count; i++) {
        // People do not write in a row; an answer is out before the next question comes.
        await new Promise((resolve) => setTimeout(resolve, 30 + (random() % 50)));
        const took = await gateway.time(platform.direct, `Message ${i}`);
        if (i < uncounted) continue;
        times.push(took);
        yardstick.push(await timeRequest(platform.emulator));
      }
      if (name in PLATFORMS) all.push(...times);
      (name in PLATFORMS ? cases : casesBeside)[name] = summarize(times);
    }
    return {
      values: summarize(all),
      cases,
      casesBeside,
      baselines: [{ what: "one HTTP request to the emulator, within this process", values: summarize(yardstick) }],
    };
  },
};

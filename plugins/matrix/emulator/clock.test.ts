import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import { ROOMS, startMatrixEmulator } from "./index.ts";

const HOUR_MS = 3_600_000;

it("message times and waiting syncs follow the test's clock", async () => {
  const clock = createVirtualClock();
  await using emulator = await startMatrixEmulator({ clock });
  const sync = async (query: string) => {
    const response = await fetch(`${emulator.url}/_matrix/client/v3/sync?${query}`, {
      headers: { authorization: `Bearer ${emulator.options.accessToken}` },
    });
    return (await response.json()) as { next_batch: string; rooms?: { join?: Record<string, unknown> } };
  };
  await clock.advance(90_000);
  await emulator.receive({ chatId: ROOMS.direct, text: "Hello" });
  const first = await sync("timeout=0");
  expect(JSON.stringify(first.rooms?.join?.[ROOMS.direct])).toContain(`"origin_server_ts":${clock.now()}`);

  const waiting = sync(`since=${first.next_batch}&timeout=${HOUR_MS}`);
  while (!emulator.isConnected) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(HOUR_MS);
  expect((await waiting).rooms?.join ?? {}).toEqual({});
  expect(emulator.log.map(({ at }) => at)).toEqual([clock.now() - HOUR_MS, clock.now()]);
});

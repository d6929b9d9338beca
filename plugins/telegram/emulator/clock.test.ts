import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import { CHATS, startTelegramEmulator } from "./index.ts";

const HOUR_MS = 3_600_000;

it("message times and waiting polls follow the test's clock", async () => {
  const clock = createVirtualClock();
  await using emulator = await startTelegramEmulator({ clock });
  const poll = async (offset: number): Promise<unknown> => {
    const response = await fetch(`${emulator.url}/bot${emulator.options.token}/getUpdates`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ offset, timeout: HOUR_MS / 1000 }),
    });
    return response.json();
  };
  await emulator.receive({ chatId: CHATS.private, text: "Hello" });
  expect(await poll(0)).toMatchObject({ result: [{ message: { date: clock.now() / 1000 } }] });

  const waiting = poll(2);
  while (!emulator.isConnected) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(HOUR_MS);
  expect(await waiting).toEqual({ ok: true, result: [] });
  expect(emulator.log.map(({ at }) => at)).toEqual([clock.now() - HOUR_MS, clock.now()]);
});

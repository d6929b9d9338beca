import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import { startSlackEmulator } from "./index.ts";

it("messages carry the time of the test's clock", async () => {
  const clock = createVirtualClock();
  await using emulator = await startSlackEmulator({ clock });
  await clock.advance(90_000);
  const { messageId } = await emulator.receive({ chatId: "D0ADA", text: "Hello" });
  expect(Math.floor(Number(messageId))).toBe(clock.now() / 1000);
  await fetch(`${emulator.options.apiUrl}auth.test`, { method: "POST" });
  expect(emulator.log).toMatchObject([{ at: clock.now() }]);
});

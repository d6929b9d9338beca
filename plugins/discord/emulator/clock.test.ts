import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import { CHANNEL, startDiscordEmulator } from "./index.ts";

it("messages carry the time of the test's clock", async () => {
  const clock = createVirtualClock();
  await using emulator = await startDiscordEmulator({ clock });
  await clock.advance(90_000);
  await emulator.receive({ chatId: CHANNEL.general, text: "Hello" });
  const response = await fetch(`${emulator.url}/api/v10/channels/${CHANNEL.general}/messages`, {
    headers: { authorization: `Bot ${emulator.options.token}` },
  });
  expect(await response.json()).toMatchObject([{ timestamp: new Date(clock.now()).toISOString() }]);
  expect(emulator.log).toMatchObject([{ at: clock.now() }]);
});

import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import { CHATS, PEOPLE, startSignalEmulator } from "./index.ts";

it("message times and keep-alives follow the test's clock", async () => {
  const clock = createVirtualClock();
  await using emulator = await startSignalEmulator({ clock });
  await clock.advance(90_000);
  const { messageId } = await emulator.receive({ chatId: CHATS.ada, text: "Hello" });
  expect(messageId).toBe(`${PEOPLE.ada.uuid}:${clock.now()}`);

  const stopping = new AbortController();
  const response = await fetch(`${emulator.url}/api/v1/events`, { signal: stopping.signal });
  let read = "";
  for await (const chunk of response.body ?? []) {
    read += new TextDecoder().decode(chunk);
    if (read.endsWith(":\n:\n")) break;
    if (read.includes("Hello")) await clock.advance(30_000);
  }
  stopping.abort();
  expect(read).toContain(`"timestamp":${clock.now() - 30_000}`);
  expect(emulator.log).toMatchObject([{ method: "events", at: clock.now() - 30_000 }]);
});

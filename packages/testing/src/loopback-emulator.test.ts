import type { InboundMessage } from "@hermes/core";
import { expect, test } from "vitest";
import { startLoopbackEmulator } from "./loopback-emulator.ts";
import { createVirtualClock } from "./virtual-clock.ts";

test("messages and reconnects of the loopback platform follow the test's clock", async () => {
  const clock = createVirtualClock();
  await using emulator = startLoopbackEmulator({ clock });
  const received: InboundMessage[] = [];
  emulator.loopback.listening.add({
    receive: async (message) => void received.push(message),
    settle: async () => {},
    choose: async () => {},
    retracted: async () => {},
    moved: async () => {},
    fail() {},
  });
  emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
  await emulator.receive({ chatId: "home", text: "Hello" });
  expect({ isConnected: emulator.isConnected, received }).toEqual({ isConnected: false, received: [] });
  const sentAt = clock.now();
  await clock.advance(1_000);
  expect(emulator.isConnected).toBe(true);
  expect(received).toMatchObject([{ text: "Hello", sentAt }]);
});

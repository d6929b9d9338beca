import { createVirtualClock, notingLogger, until } from "@hermes/testing";
import { expect, it } from "vitest";
import { startSlackEmulator } from "../emulator/index.ts";
import { sdkLogger } from "./connect.ts";
import { SlackSocket } from "./socket.ts";

it("opens the socket again when a peer that vanished is noticed by its silence", async () => {
  await using emulator = await startSlackEmulator();
  const clock = createVirtualClock();
  const logger = notingLogger([]);
  const { appToken, apiUrl } = emulator.options;
  const socket = new SlackSocket({ appToken, apiUrl, clock, logger, sdkLogger: sdkLogger(logger), pongWithinMs: 30 });
  await socket.start();
  emulator.hub.answersPings = false;
  const opened = () => emulator.log.filter(({ method }) => method === "apps.connections.open").length;
  await until(() => opened() > 1);
  expect(socket.health.state).toBe("degraded");
  emulator.hub.answersPings = true;
  await clock.advance(60_000);
  await until(() => socket.health.state === "up");
  await socket.stop();
});

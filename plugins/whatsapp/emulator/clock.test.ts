import { once } from "node:events";
import { createServer } from "node:http";
import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import { CLOUD_CHATS, PERSONAL_CHATS, startWhatsAppCloudEmulator, startWhatsAppPersonalEmulator } from "./index.ts";

it("webhooks carry the time of the test's clock, and come again when that is turned", async () => {
  const clock = createVirtualClock();
  await using emulator = await startWhatsAppCloudEmulator({ clock });
  const bodies: string[] = [];
  const endpoint = createServer(async (request, response) => {
    const challenge = new URL(request.url ?? "/", "http://endpoint").searchParams.get("hub.challenge");
    if (challenge !== null) return response.end(challenge);
    let body = "";
    for await (const chunk of request) body += String(chunk);
    bodies.push(body);
    // The first one is not taken.
    response.writeHead(bodies.length === 1 ? 500 : 200).end();
    endpoint.emit("posted");
  });
  endpoint.listen(emulator.options.webhook.port, "127.0.0.1");
  const posted = once(endpoint, "posted");
  await emulator.receive({ chatId: CLOUD_CHATS.ada, text: "Hello" });
  await posted;
  expect(bodies[0]).toContain(`"timestamp":"${clock.now() / 1000}"`);
  const again = once(endpoint, "posted");
  while (bodies.length === 1) await clock.advance(1_000);
  await again;
  expect(bodies[1]).toBe(bodies[0]);
  endpoint.closeAllConnections();
  endpoint.close();
});

it("messages of a linked account carry the time of the test's clock", async () => {
  const clock = createVirtualClock();
  await using emulator = await startWhatsAppPersonalEmulator({ clock });
  await clock.advance(90_000);
  await emulator.receive({ chatId: PERSONAL_CHATS.ada, text: "Hello" });
  expect(emulator.messages(PERSONAL_CHATS.ada)).toMatchObject([{ at: clock.now() }]);
});

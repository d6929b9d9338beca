import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createVirtualClock } from "@hermes/testing";
import { expect, it, onTestFinished } from "vitest";
import { HermesError } from "../base/errors.ts";
import type { Session } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import { createAgent } from "./create-agent.ts";

const session = { title: null, model: null, lastSurface: "terminal", workingDirectory: null } as unknown as Session;
const asked = { role: "user", text: "When is high water?", seq: 1, turnId: null } as unknown as TranscriptMessage;

const saying = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** Asks a model whose server says `first` and then `endless` without an end. */
async function ask(status: number, first: string, endless: string) {
  const hungUp = Promise.withResolvers<void>();
  let sent = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.on("close", hungUp.resolve);
    response.writeHead(status, { "content-type": "text/event-stream" });
    response.write(first);
    const more = (to: ServerResponse) => {
      do sent += endless.length;
      while (!to.destroyed && to.write(endless));
    };
    response.on("drain", () => more(response));
    more(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const agent = createAgent({
    config: {
      ...{ model: "mine/some", instructions: null, providers: { mine: { baseUrl, apiKey: "a-key-of-mine" } } },
      modelTimeouts: { firstByteSeconds: 60, idleSeconds: 30 },
    },
    environment: {},
    clock: createVirtualClock(),
  });
  const { signal } = new AbortController();
  let text = "";
  const error = await (async () => {
    for await (const event of agent.run({ session, messages: [asked], tools: [], mayCall: false, signal })) {
      if (event.type === "text" && text.length < 100) text += event.delta;
    }
    return null;
  })().catch((thrown: unknown) => thrown);
  await hungUp.promise;
  if (!(error instanceof HermesError)) throw error;
  return { error, sent, text };
}
const MIB = 1024 * 1024;

it.each([
  ["a stream", saying("y".repeat(60_000)), "mine sent an answer of more than 64 MiB", 80 * MIB],
  ["a line", "x".repeat(65_536), "mine sent a line of more than 8 MiB", 24 * MIB],
])("%s that does not end is given up, and what was said before stays", async (_, endless, reason, most) => {
  const { error, sent, text } = await ask(200, saying("At noon."), endless);
  expect(error).toMatchObject({ code: "AGENT_FAILED", message: expect.stringContaining(reason) });
  expect(text).toMatch(/^At noon\./);
  expect(sent).toBeLessThan(most);
});

it("an endless refusal is read no further than its first megabyte", async () => {
  const { error, sent } = await ask(400, '{"error":{"message":"', "x".repeat(65_536));
  expect(error).toMatchObject({ code: "AGENT_FAILED", message: expect.stringContaining("HTTP 400") });
  expect(sent).toBeLessThan(16 * MIB);
});

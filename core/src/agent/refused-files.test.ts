import { createModelServer, createVirtualClock, type ModelServer, PNG_FILE } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FileRef } from "../base/file-ref.ts";
import type { Session } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import { createAgent } from "./create-agent.ts";
import { fileNamed, filesOf } from "./test-files.ts";

const KEY = "sk-test-0123456789abcdefghij";
const REFUSED = { status: 400, message: "Could not process image" };
const LINE = '⟦"odd.png" is not shown to you: mine answered HTTP 400: Could not process image⟧';

const CAT = fileNamed("cat.png", "image/png", PNG_FILE);
const ODD = fileNamed("odd.png", "image/png", PNG_FILE);
const session = { title: null, model: null, lastSurface: "terminal", workingDirectory: null } as unknown as Session;

let server: ModelServer;
beforeEach(async () => {
  server = await createModelServer();
});
afterEach(() => server.close());

const said = (role: string, text: string, ...files: FileRef[]) =>
  ({ role, text, files, seq: 1, turnId: null }) as unknown as TranscriptMessage;

/** One agent, as a process has it, that is asked again and again. */
function agentOf() {
  const agent = createAgent({
    config: {
      ...{ model: "mine/google/gemini", instructions: null },
      modelTimeouts: { firstByteSeconds: 60, idleSeconds: 30 },
      providers: { mine: { baseUrl: server.url, apiKey: KEY } },
    },
    ...{ environment: {}, clock: createVirtualClock(), files: filesOf({ "cat.png": PNG_FILE, "odd.png": PNG_FILE }) },
  });
  return async (...messages: TranscriptMessage[]) => {
    const { signal } = new AbortController();
    let text = "";
    for await (const event of agent.run({ session, messages, tools: [], mayCall: false, signal })) {
      if (event.type === "message") text = event.text;
    }
    return text;
  };
}

/** What the model was sent of people: of each request the texts, a picture as `[picture]`. */
const shown = () =>
  server.requests.map(({ messages }) =>
    messages
      .filter(({ role }) => role === "user")
      .flatMap(({ content }) => (Array.isArray(content) ? content : [{ type: "text", text: String(content) }]))
      .map(({ type, text }) => (type === "text" ? String(text) : "[picture]"))
      .join(" "),
  );

it("a message is answered without the picture that the provider refuses", async () => {
  const ask = agentOf();
  server.push(REFUSED, "I cannot see it.", "High water is at noon.");
  const first = said("user", "What is it?", ODD);
  expect(await ask(first)).toBe("I cannot see it.");
  expect(shown()).toEqual(["What is it? [picture]", expect.stringContaining(`What is it?`)]);
  expect(shown()[1]).toContain(LINE);

  // The next message is not refused for it.
  expect(await ask(first, said("assistant", "I cannot see it."), said("user", "And high water?"))).toBe(
    "High water is at noon.",
  );
  expect(shown()).toHaveLength(3);
  expect(shown()[2]).toContain(LINE);
});

it("an older picture stays when the provider refuses the newest", async () => {
  server.push(REFUSED, "A cat, and something else.");
  await agentOf()(said("user", "See", CAT), said("assistant", "A cat."), said("user", "And this?", ODD));
  expect(shown()[0]).toBe("See [picture] And this? [picture]");
  expect(shown()[1]).toMatch(/^See \[picture\] And this\?/);
  expect(shown()[1]).toContain(LINE);
});

it("files are sent again where a request is refused without them too", async () => {
  const ask = agentOf();
  server.push(REFUSED, { status: 400, message: "tools: Input should be a valid list" }, "A cat.");
  await expect(ask(said("user", "What is it?", CAT))).rejects.toMatchObject({
    code: "AGENT_FAILED",
    message: expect.stringContaining("tools: Input should be a valid list"),
  });
  expect(await ask(said("user", "What is it?", CAT))).toBe("A cat.");
  expect(shown()[2]).toBe("What is it? [picture]");
});

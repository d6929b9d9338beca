import { createVirtualClock, type ScriptedAnswer, scriptedModel } from "@hermes/testing";
import { expect, test } from "vitest";
import { createTestBench } from "../test-bench.ts";

const SUMMARY = "The harbour was found.";

async function longSession(script: ScriptedAnswer[] = [SUMMARY]) {
  const clock = createVirtualClock();
  const bench = await createTestBench({ clock, model: scriptedModel(script, { clock }) });
  const session = await bench.begin("plan");
  for (let at = 0; at < 6; at++) await bench.exchange(session.id, `${at}: ${"lorem ".repeat(200)}`, "yes");
  return { bench, session };
}

test("/compact sums a session up from the chat, and says it once", async () => {
  const { bench, session } = await longSession();
  await using _ = bench;
  const chat = bench.start(["resume", "plan"], { interactive: true });
  chat.type("/compact the harbour");
  await chat.printed("The transcript keeps everything.");
  chat.type("/status");
  await chat.printed("compacted for the model just now: ");
  chat.end();
  expect(await chat.ended).toBe(0);
  expect(chat.stdout().match(/ompacted: \d+ messages/g)).toHaveLength(1);
  expect(JSON.stringify(bench.model.requests[0]?.messages)).toContain("the harbour");
  expect(await bench.host.store.compactions.latest(session.id)).toMatchObject({ summary: SUMMARY });
});

test("hermes compact sums a session up, and hermes sessions show tells it", async () => {
  const { bench, session } = await longSession();
  await using _ = bench;
  const { code, json } = await bench.hermes("compact", "plan", "the", "harbour", "--json");
  expect(code).toBe(0);
  expect(json()).toMatchObject({ session: session.id, upTo: 19, messages: 19, tokensAfter: expect.any(Number) });
  const shown = (await bench.hermes("sessions", "show", "plan", "--json")).json();
  expect(shown.compactions).toMatchObject([{ upTo: 19, messages: 19 }]);
  expect(shown.state.task).toMatch(/^0: lorem/);
  const again = await bench.hermes("compact", "plan");
  expect(again.code).toBe(1);
  expect(again.stderr).toContain("There is nothing to compact in this session");
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CRASH_POINTS } from "../fixtures/crashing-gateway.ts";
import { HermesMachine } from "../support/hermes-process.ts";
import { begin, type HandoffDocument, threadOf, transcript } from "../support/journey.ts";
import { openPage } from "../support/page.ts";

describe("a gateway that is killed in the middle of a handoff", () => {
  it.each(CRASH_POINTS)("%s: the next one brings it to its end, with one thread and one answer", async (point) => {
    await using machine = new HermesMachine();
    const sessionId = await begin(machine, "Plan a trip to Rome");
    const doomed = await machine.startGateway(join(import.meta.dirname, "../fixtures/crashing-gateway.ts"), point);
    const { handoffId } = await machine.json<HandoffDocument>("handoff", "web", "--session", sessionId, "--no-wait");
    expect(await doomed.exited()).toBeNull();

    await machine.startGateway();
    const { handoffs } = await machine.store();
    await machine.until(
      async () => (await handoffs.list({ inFlight: true, limit: 1 })).length === 0,
      "the end of the handoff",
    );
    const handoff = await machine.json<HandoffDocument>("handoffs", "show", handoffId);
    expect(handoff).toMatchObject({ state: "completed", error: null });

    const page = await openPage(machine);
    const { threads } = await page.chats();
    expect(threads.map(({ id, name }) => [id, name])).toEqual([[threadOf(handoff.link), "Plan a trip to Rome"]]);
    const { messages } = await page.messages(threadOf(handoff.link));
    expect(messages.map(({ kind }) => kind)).toEqual(["earlier", "notice", "card", "answer"]);
    expect((await transcript(machine, sessionId)).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });
});

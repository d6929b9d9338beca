import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CRASH_POINTS } from "./fixtures/crashing-gateway.ts";
import { HermesMachine } from "./support/hermes-process.ts";
import { openPage } from "./support/page.ts";

interface HandoffDocument {
  readonly handoffId: string;
  readonly state: string;
  readonly step: string;
  readonly error: unknown;
}

describe("a gateway that is killed in the middle of a handoff", () => {
  it.each(CRASH_POINTS)("%s: the next one brings it to its end, with one thread and one answer", async (point) => {
    await using machine = new HermesMachine();
    const { sessionId } = await machine.json<{ sessionId: string }>("chat", "-q", "Plan a trip to Rome");
    const doomed = await machine.startGateway(join(import.meta.dirname, "fixtures/crashing-gateway.ts"), point);
    const { handoffId } = await machine.json<HandoffDocument>("handoff", "web", "--session", sessionId, "--no-wait");
    expect(await doomed.exited()).toBeNull();

    await machine.startGateway();
    const show = () => machine.json<HandoffDocument>("handoffs", "show", handoffId);
    await machine.until(async () => ["completed", "failed"].includes((await show()).state), "the end of the handoff");
    expect(await show()).toMatchObject({ state: "completed", error: null });

    const page = await openPage(machine);
    const { threads } = await page.chats();
    expect(threads.map(({ name }) => name)).toEqual(["Plan a trip to Rome"]);
    const { messages } = await page.messages(threads[0]?.id ?? "");
    expect(messages.map(({ kind }) => kind)).toEqual(["notice", "card", "answer"]);

    const { messages: transcript } = await machine.json<{ messages: { role: string }[] }>(
      "sessions",
      "show",
      sessionId,
    );
    expect(transcript.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });
});

import { setTimeout as delay } from "node:timers/promises";
import type { EmulatedMessage } from "@hermes/emulator";
import { check, checkEqual } from "../check.ts";
import type { KitProof } from "../proof.ts";
import type { Stage } from "../stage.ts";

/** Platforms that date messages by the second. */
const A_SECOND_LATER_MS = 1_100;

const PRIVATE = {
  fitting: ({ kind, canHoldMessages = true }: Stage["home"]) => kind === "dm" && canHoldMessages,
  wanted: "that is private",
};

export const questionProofs: readonly KitProof[] = [
  {
    id: "questions/answered",
    rule: "A press is reported as it was made",
    proof:
      "a question of the agent is answered in words, or by a press where there are choices, and the turn continues",
    homes: PRIVATE,
    async play(on) {
      const { adapter, host } = await on.gateway();
      const asked = async (answer: string) => {
        const call = { name: "question", input: { question: "Which tea?", answers: ["Green", "Black"] } };
        on.model.push([{ call: [call] }, { say: answer }]);
        const before = on.countSaid("Which tea?");
        await on.write("Make tea.");
        await on.until("the question is asked", () => on.countSaid("Which tea?") > before);
        await on.until("it is recorded that the question was sent", async () => {
          const [open] = await host.store.approvals.open();
          return open !== undefined && (await host.store.outbox.openLanes(on.subject.name, undefined)).length === 0;
        });
        return on.botMessages().findLast(({ text }) => text.includes("Which tea?"));
      };
      const results = async () => {
        const [request] = on.model.requests;
        const read = request === undefined ? [] : await host.store.transcripts.read(request.session.id);
        return read.filter(({ role }) => role === "tool").map(({ text }) => text);
      };

      await asked("The first is ready.");
      await delay(A_SECOND_LATER_MS);
      await on.write("2");
      await on.until("the turn goes on after an answer in words", () => on.countSaid("The first is ready.") > 0);
      checkEqual(await results(), ["Black"], "what the agent was told in words");
      if (adapter.choices === undefined) return;
      await press(on, await asked("The second is ready."), "Green");
      await on.until("the turn goes on after a press", () => on.countSaid("The second is ready.") > 0);
      checkEqual(await results(), ["Black", "Green"], "what the agent was told by a press");
    },
  },
];

async function press(on: Stage, message: EmulatedMessage | undefined, label: string): Promise<void> {
  const { emulator } = on;
  check(emulator.press !== undefined, "the adapter renders choices, and its emulator lets nobody press one");
  await emulator.press({ ...on.homePlace, messageId: message?.id ?? "", label });
}

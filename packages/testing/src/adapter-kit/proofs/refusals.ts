import { buildSessionKey, PlatformError, type PlatformErrorCode } from "@hermes/core";
import { check, checkEqual, shown } from "../check.ts";
import { NotClaimed, proofsOfRule } from "../proof.ts";

/** The error codes for a message that the platform will never accept. */
const FOR_GOOD: readonly PlatformErrorCode[] = ["PLATFORM_FORBIDDEN", "PLATFORM_NOT_FOUND", "PLATFORM_REJECTED"];

export const refusalProofs = proofsOfRule("Guarantee: what is refused is kept, reported and offered again", [
  {
    id: "refusals/offered",
    proof: "answers refused for good are kept with the reason, and sent before the next one that succeeds",
    async play(on) {
      const refusal = on.subject.refusals?.find(
        ({ operation, becomes }) => operation === "send" && FOR_GOOD.includes(becomes),
      );
      if (refusal === undefined) throw new NotClaimed("The adapter's test names no refusal of a send for good");
      await on.gateway();
      const { store } = await on.terminal();
      const kept = () => store.deliveries.list({ limit: 9 });
      on.model.push("The first answer.", "The second answer.", "The third answer.");
      on.emulator.fail({ operation: "send", times: 1_000, kind: { is: "refuse", code: refusal.code } });
      for (const [at, question] of ["One?", "Two?"].entries()) {
        await on.write(question);
        await on.until(`answer ${at + 1} is refused`, async () => (await kept()).length === at + 1);
        await on.quiet();
      }
      // The first message was offered before the second one, and refused again.
      const refused = await kept();
      checkEqual(
        refused.map(({ state, error }) => [state, error?.code]),
        [
          ["failed", refusal.becomes],
          ["failed", refusal.becomes],
        ],
        "what is kept",
      );
      on.emulator.heal();
      await on.write("Three?");
      await on.until("the third answer is said", () => on.countSaid("The third answer.") === 1);
      await on.quiet();
      const [notice = "", ...answers] = on.said().map((text) => text.trim());
      check(notice.includes("could not be delivered before"), () => `above them stands ${shown(notice)}`);
      checkEqual(
        answers,
        ["The first answer.", "The second answer.", "The third answer."],
        "what is said below the notice",
      );
      checkEqual((await kept()).length, 0, "how many are still kept");
    },
  },
  {
    id: "refusals/late",
    proof: "a message refused after it was taken is kept with the reason, and it alone is sent before the next answer",
    async play(on) {
      const { adapter } = await on.gateway();
      if (!adapter.capabilities.lateRefusal) throw new NotClaimed("It does not claim `lateRefusal`");
      const { refuseLate } = on.subject;
      if (refuseLate === undefined) throw new NotClaimed("The adapter's test has no `refuseLate`");
      const { store } = await on.terminal();
      const kept = () => store.deliveries.list({ limit: 9 });
      await on.ask(on.running);
      await refuseLate(on.emulator);
      on.model.push("The refused answer.", "The next answer.", "The last answer.");
      await on.write("What is refused?");
      await on.until("the late refusal is kept", async () => (await kept()).length > 0);
      await on.quiet();
      const refused = await kept();
      checkEqual(
        refused.map(({ message, state }) => [message.markdown, state]),
        [["The refused answer.", "failed"]],
        "what is kept",
      );
      check(
        refused.every(({ error }) => error?.text),
        "it is kept without a reason",
      );
      const before = on.said().length;
      const said = () =>
        on
          .said()
          .slice(before)
          .map((text) => text.trim());
      for (const [question, answer] of [
        ["What is next?", "The next answer."],
        ["What is last?", "The last answer."],
      ] as const) {
        await on.write(question);
        await on.until(`it is said: ${answer}`, () => said().includes(answer));
        await on.quiet();
      }
      const [notice = "", ...answers] = said();
      check(notice.includes("could not be delivered before"), () => `above them stands ${shown(notice)}`);
      checkEqual(answers, ["The refused answer.", "The next answer.", "The last answer."], "what is said below it");
      checkEqual((await kept()).length, 0, "how many are still kept");
    },
  },
  {
    id: "refusals/told",
    proof: "a place that mirrors other places is told once what another platform refused",
    async play(on) {
      const sessionId = await on.terminalSession("The plan of the kit");
      const gateway = await on.gateway();
      if (!gateway.adapter.capabilities.mirrors) throw new NotClaimed("It does not claim `mirrors`");
      const { store } = await on.terminal();
      const conversation = { platform: "elsewhere", chatId: "1", kind: "dm" } as const;
      const key = buildSessionKey(conversation);
      const message = { kind: "answer", markdown: "A secret answer." } as const;
      const [row] = await store.outbox.enqueue([{ key, conversation, message, sessionId }]);
      check(row !== undefined, "nothing was queued");
      const error = new PlatformError("PLATFORM_FORBIDDEN", {
        ...{ platform: "elsewhere", reason: "the thread is locked", hint: "Unlock it." },
      });
      await store.outbox.settleSend(row.id, { kind: "failed", error: { code: error.code, text: error.message } });
      await on.until("it is told", () => on.countAnywhere("The plan of the kit") > 0);
      await on.restarted();
      await on.quiet(1_000);
      checkEqual(on.countAnywhere("the thread is locked"), 1, "how often the reason is told");
      checkEqual(on.countAnywhere("A secret answer."), 0, "how often it is said here what was to be said there");
    },
  },
]);

import { type HandoffThread, PlatformError } from "@hermes/core";
import { gate } from "../../gate.ts";
import { check, checkEqual, shown } from "../check.ts";
import { type KitProof, NotClaimed, WITH_THREADS } from "../proof.ts";
import type { Stage } from "../stage.ts";
import { expectNoToken } from "./errors.ts";

const RULE = "A handoff opens a visible thread, or leaves nothing behind";

export const threadProofs: readonly KitProof[] = [
  {
    id: "threads/visible",
    rule: RULE,
    proof: "an opened thread is visible to everybody in the chat, under the session's title",
    homes: WITH_THREADS,
    async play(on) {
      const { adapter } = await on.gateway();
      const before = on.threadIds();
      const thread = await on.openThread("Fix the build");
      check(thread !== null, "no thread was opened");
      const { threadId } = on.placeOf(thread, before);
      const seen = on.emulator.threads(on.chat.chatId).find(({ id }) => id === threadId);
      checkEqual(seen?.isVisible, true, "whether the thread is seen");
      check(seen?.name.includes("Fix the build") === true, () => `the thread is called ${shown(seen?.name)}`);
      checkEqual(thread.conversation.platform, adapter.platform, "the platform of the thread");
    },
  },
  {
    id: "threads/none",
    rule: RULE,
    proof: "in a chat that cannot have threads none is opened, and nothing is left behind",
    homes: {
      // A home that is a thread is used as it is, without opening a thread in it.
      fitting: ({ threads, home, place }) => !threads && (home.threadId ?? place?.threadId) === undefined,
      wanted: "without threads",
    },
    async play(on) {
      await on.gateway();
      const left = remains(on);
      checkEqual(await on.openThread("A plan"), null, "what came of opening a thread");
      checkEqual(remains(on), left, "what is on the platform");
    },
  },
  {
    id: "threads/names",
    rule: RULE,
    proof: "titles that are blank, too long, of several lines or full of emoji become names the platform accepts",
    homes: WITH_THREADS,
    async play(on) {
      await on.gateway();
      const titles = [
        "   ",
        "x".repeat(600),
        "👩‍👩‍👧‍👦 ".repeat(120),
        "one\ntwo\r\n\tthree",
        "@everyone <@1> <!channel> #a & <b>",
      ];
      for (const [index, title] of titles.entries()) {
        const before = on.threadIds();
        const thread = await on.openThread(title, `mark-${index}`);
        check(thread !== null, () => `no thread was opened for ${shown(title)}`);
        const { threadId } = on.placeOf(thread, before);
        const { name = "" } = on.emulator.threads(on.chat.chatId).find(({ id }) => id === threadId) ?? {};
        check(name.trim() !== "" && name.isWellFormed(), () => `${shown(title)} became ${shown(name)}`);
        check(!/[\r\n]/.test(name), () => `${shown(title)} has several lines: ${shown(name)}`);
        check(!name.includes("\ufffd") && !/\u200d$/.test(name), () => `an emoji was cut: ${shown(name)}`);
      }
    },
  },
  {
    id: "threads/fails-clean",
    rule: RULE,
    proof: "whatever fails while a thread is opened, the result is a thread, or an error with nothing left behind",
    homes: WITH_THREADS,
    async play(on) {
      await on.gateway();
      const refusals = (on.subject.refusals ?? []).filter(({ operation }) => operation === "createThread");
      for (const { code, becomes } of refusals) {
        on.emulator.fail({ operation: "createThread", kind: { is: "refuse", code } });
        const error = await opensOrFailsClean(on, `refused with ${code}`);
        if (error !== null) checkEqual(error.code, becomes, `${code} became`);
        on.emulator.heal();
      }
      for (const operation of ["createThread", "send"]) {
        for (const kind of [{ is: "break" }, { is: "rate-limit", retryAfterMs: 60_000 }] as const) {
          on.emulator.fail({ operation, times: 1_000, kind });
          await opensOrFailsClean(on, `${kind.is} at ${operation}`);
          on.emulator.heal();
        }
      }
    },
  },
  {
    id: "threads/switches",
    rule: RULE,
    proof: "a missing setting or right is named, and nothing is left behind",
    run: ({ inEachHome, subject }) => {
      const { threadSwitches = [] } = subject;
      if (threadSwitches.length === 0) throw new NotClaimed("The adapter's test names no settings or rights");
      return inEachHome(async (on) => {
        await on.gateway();
        for (const { name, turnOff, gives } of threadSwitches) {
          // A switch cannot be turned on again, so each gets a new platform.
          await on.again(async (own) => {
            await own.gateway();
            await turnOff(own.emulator);
            const left = remains(own);
            const result = await own.openThread("A plan").catch((error: unknown) => error);
            checkEqual(remains(own), left, `what is on the platform when ${name}`);
            if (gives === "null") return checkEqual(result, null, `what came of it when ${name}`);
            check(result instanceof PlatformError, () => `when ${name}, it gave ${shown(result)}`);
            checkEqual(result.code, gives, `the error when ${name}`);
            check(`${result.message} ${result.hint}`.length > 30, `when ${name}, the error does not say what to do`);
          });
        }
      }, WITH_THREADS);
    },
  },
  {
    id: "threads/killed",
    rule: "Guarantee: recovery goes by the step that was recorded",
    proof: "the successor of a gateway killed after it opened a thread opens no second one, or says there may be two",
    homes: WITH_THREADS,
    async play(on) {
      const sessionId = await on.terminalSession();
      const first = await on.gateway();
      const before = on.threadIds();
      first.dieAfter("createHandoffThread");
      on.model.push("We stand at the plan.");
      await on.requestHandoff(sessionId);
      await first.died;
      const second = await on.gateway();
      const { store } = await on.terminal();
      await on.until("the handoff is completed", async () => {
        return (await store.handoffs.latestOf(sessionId))?.state === "completed";
      });
      const count = on.threadIds().filter((id) => !before.includes(id)).length;
      const wanted = second.adapter.findThread || on.beginsThreads ? 1 : 2;
      check(count === wanted, () => `there are ${count} new threads rather than ${wanted}`);
      checkEqual(on.countAnywhere("We stand at the plan."), 1, "how often the agent's opening is there");
    },
  },
  {
    id: "threads/removed",
    rule: "Decision: a thread that is gone",
    proof:
      "after a thread was removed, the session's next answer arrives in one new thread, or in the chat with a notice",
    homes: WITH_THREADS,
    async play(on) {
      const sessionId = await on.terminalSession();
      const gateway = await on.gateway();
      const place = await on.handOff(sessionId);
      const { threadId } = place;
      check(threadId !== undefined, "there is no thread");
      const held = gate();
      on.model.push([{ hold: held }, { say: "Found you." }]);
      await on.write("Where are you?", place);
      await held.reached;
      const others = on.threadIds().filter((id) => id !== threadId);
      on.emulator.removeThread(place.chatId, threadId);
      held.open();
      await on.until("the answer arrives elsewhere", () => on.countAnywhere("Found you.") > 0);
      if (on.beginsThreads) {
        // The answer begins it again.
        await on.quiet();
        checkEqual(
          on.said(place).filter((text) => text.includes("Found you.")).length,
          1,
          "how often it arrived there",
        );
        return;
      }
      await on.until("a notice says so", () => on.countAnywhere("is gone") > 0);
      await on.quiet();
      checkEqual(on.countAnywhere("Found you."), 1, "how often the answer arrived");
      const fresh = on.threadIds().filter((id) => !others.includes(id) && id !== threadId);
      check(fresh.length <= 1, () => `${fresh.length} new threads were opened`);
      const [freshId] = fresh;
      const now = freshId === undefined ? on.homePlace : { ...on.chat, threadId: freshId };
      const said = on.said(now).filter((text) => /is gone|Found you\./.test(text));
      check(said[0]?.includes("is gone") === true, () => `the notice stands below what it explains: ${shown(said)}`);
      checkEqual((await on.ask(gateway, now)).session, sessionId, "the session that goes on there");
    },
  },
];

/** Everything on the platform that a failed attempt may have left behind. */
function remains(on: Stage): unknown {
  return { threads: on.threadIds(), messages: on.botMessages(on.chat).map(({ id }) => id) };
}

/** Tries to open a thread. Returns the error, or null if a thread was opened all the same. */
async function opensOrFailsClean(on: Stage, what: string): Promise<PlatformError | null> {
  const left = remains(on);
  const before = on.threadIds();
  let thread: HandoffThread | null;
  try {
    thread = await on.openThread("A plan", `mark ${what}`);
  } catch (error) {
    check(error instanceof PlatformError, () => `${what}: it threw ${String(error)}`);
    expectNoToken(on, error);
    checkEqual(remains(on), left, `what is on the platform after it was ${what}`);
    return error;
  }
  check(thread !== null, `${what}: it gave null, as if there were no threads by nature`);
  on.placeOf(thread, before);
  return null;
}
